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
    shell
        .ok(&verify)
        .prints("it was not seen before from here")
        .prints("20 matches played again, with the same results");
    shell.ok(&[&verify[..], &["--sample", "3"]].concat()).prints("it begins with the ");

    let dump = ["ladder", "dump", &server.address, "copy"];
    shell.ok(&dump);
    shell.ok(&dump);
    // Neither another ladder's copy nor other files are mixed with it.
    let key = shell.folder().join("copy/log/key");
    let own = fs::read(&key).unwrap();
    fs::write(&key, "agon-ladder/other+00000000+AAAA\n").unwrap();
    shell.run(&dump).ends(2).says("a copy of another ladder");
    fs::write(&key, own).unwrap();
    fs::create_dir(shell.folder().join("papers")).unwrap();
    fs::write(shell.folder().join("papers/a.txt"), "mine").unwrap();
    shell.run(&["ladder", "dump", &server.address, "papers"]).ends(2).says("has other files in it");
    assert!(server.stop());
    let done = shell.ok(&["ladder", "verify", "copy", "--all", "--arena", "cluster", "--json"]);
    let report: Value = serde_json::from_str(&done.out).unwrap();
    let proven = report["proven"].as_u64().unwrap();
    assert!(proven >= 20 && report["matches"] == proven, "{report}");

    // A replay that is not the one of the log.
    let replays = shell.folder().join("copy/log/replays");
    let arena = fs::read_dir(&replays).unwrap().next().unwrap().unwrap().path();
    let mut names: Vec<_> = fs::read_dir(&arena).unwrap().map(|e| e.unwrap().path()).collect();
    names.sort();
    fs::copy(&names[0], &names[1]).unwrap();
    shell
        .run(&["ladder", "verify", "copy", "--all"])
        .ends(1)
        .prints("its replay is not the one of the log")
        .prints("not verified: 1 finding");
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
    let done = shell
        .ok(&["ladder", "verify", &server.address, "--sample", "10"])
        .prints("10 matches played again");
    assert_eq!(done.err.matches("the server limits requests").count(), 1, "{done:?}");
    assert!(began.elapsed().as_secs() >= 3, "{:?}", began.elapsed());
    assert!(server.stop());
}
