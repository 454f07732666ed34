//! The public log of a real server: checked, copied, and read slowly.

use std::{fs, time::Instant};

use serde_json::Value;

use crate::{
    shell::Shell,
    support::{Server, wait_for},
};

/// Waits until the built-in bots have played so many matches.
fn wait_for_matches(server: &Server, count: usize) {
    let mut client = server.client();
    wait_for("matches", || {
        let path = format!("/api/v1/arenas/cluster/matches?limit={}", count + 20);
        let list: Value = serde_json::from_slice(&client.get(&path).body).unwrap();
        let all = list["items"].as_array().unwrap();
        let played = all.iter().filter(|one| one["state"] == "played").count();
        (played >= count).then_some(())
    });
    // What is played is signed a moment later.
    std::thread::sleep(std::time::Duration::from_secs(3));
}

#[test]
fn a_log_is_verified_and_copied() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--arena", "cluster"]);
    wait_for_matches(&server, 20);
    let shell = Shell::new();
    let verify = ["ladder", "verify", &server.address];
    let done = shell.run(&verify);
    assert_eq!(done.code, 0, "{done:?}");
    assert!(done.out.contains("it was not seen before from here"), "{done:?}");
    assert!(done.out.contains("20 matches played again, with the same results"), "{done:?}");
    let done = shell.run(&[&verify[..], &["--sample", "3"]].concat());
    assert_eq!(done.code, 0, "{done:?}");
    assert!(done.out.contains("it begins with the "), "{done:?}");

    let dump = ["ladder", "dump", &server.address, "copy"];
    let done = shell.run(&dump);
    assert_eq!(done.code, 0, "{done:?}");
    assert_eq!(shell.run(&dump).code, 0, "the same ladder again");
    // Neither another ladder's copy nor other files are mixed with it.
    let key = shell.folder().join("copy/log/key");
    let own = fs::read(&key).unwrap();
    fs::write(&key, "agon-ladder/other+00000000+AAAA\n").unwrap();
    let done = shell.run(&dump);
    assert!(done.code == 2 && done.err.contains("a copy of another ladder"), "{done:?}");
    fs::write(&key, own).unwrap();
    fs::create_dir(shell.folder().join("papers")).unwrap();
    fs::write(shell.folder().join("papers/a.txt"), "mine").unwrap();
    let done = shell.run(&["ladder", "dump", &server.address, "papers"]);
    assert!(done.code == 2 && done.err.contains("has other files in it"), "{done:?}");
    assert!(server.stop());
    let done = shell.run(&["ladder", "verify", "copy", "--all", "--arena", "cluster", "--json"]);
    assert_eq!(done.code, 0, "{done:?}");
    let report: Value = serde_json::from_str(&done.out).unwrap();
    let proven = report["proven"].as_u64().unwrap();
    assert!(proven >= 20 && report["matches"] == proven, "{report}");

    // A replay that is not the one of the log.
    let replays = shell.folder().join("copy/log/replays");
    let arena = fs::read_dir(&replays).unwrap().next().unwrap().unwrap().path();
    let mut names: Vec<_> = fs::read_dir(&arena).unwrap().map(|e| e.unwrap().path()).collect();
    names.sort();
    fs::copy(&names[0], &names[1]).unwrap();
    let done = shell.run(&["ladder", "verify", "copy", "--all"]);
    assert_eq!(done.code, 1, "{done:?}");
    assert!(done.out.contains("its replay is not the one of the log"), "{done:?}");
    assert!(done.out.contains("not verified: 1 finding"), "{done:?}");
}

#[test]
fn a_server_that_limits_requests_is_read_slowly() {
    let folder = tempfile::tempdir().unwrap();
    // After twenty files of the log, ten times as many as pages, one each three seconds.
    let flags = ["--arena", "cluster", "--requests-per-minute", "2"];
    let server = Server::start(folder.path(), &flags);
    wait_for_matches(&server, 10);
    let shell = Shell::new();
    let began = Instant::now();
    let done = shell.run(&["ladder", "verify", &server.address, "--sample", "10"]);
    assert_eq!(done.code, 0, "{done:?}");
    assert!(done.out.contains("10 matches played again"), "{done:?}");
    assert_eq!(done.err.matches("the server limits requests").count(), 1, "{done:?}");
    assert!(began.elapsed().as_secs() >= 3, "{:?}", began.elapsed());
    assert!(server.stop());
}
