//! The public log of a real server: checked, copied, and read slowly; and the author's part in a
//! final: a secret number that is revealed after the deadline.

use std::{fs, time::Instant};

use serde_json::Value;

use crate::shell::Shell;
use crate::support::{
    LIVELY, Server, arena_form, make_arena, organise, python_bot, wait_for, wait_until,
};

/// Waits until the built-in bots have played so many matches.
fn wait_for_matches(server: &Server, count: usize) {
    let mut client = server.client();
    wait_until("matches", || {
        let path = format!("/api/v1/arenas/cluster/matches?limit={}", count + 20);
        let list: Value = serde_json::from_slice(&client.get(&path).body).unwrap();
        let all = list["items"].as_array().unwrap();
        let played = all.iter().filter(|one| one["state"] == "played").count();
        played >= count
    });
    // What is played is signed a moment later.
    std::thread::sleep(std::time::Duration::from_secs(2));
}

#[test]
fn a_log_is_verified_and_copied() {
    let server = Server::with(&LIVELY);
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
    // After twenty files of the log, ten times as many as pages, one each three seconds.
    let server = Server::with(&[&LIVELY[..], &["--requests-per-minute", "2"]].concat());
    wait_for_matches(&server, 10);
    let shell = Shell::new();
    let began = Instant::now();
    let done = shell
        .ok(&["ladder", "verify", &server.address, "--sample", "10"])
        .prints("10 matches played again");
    assert_eq!(done.err.matches("the server limits requests").count(), 1, "{done:?}");
    assert!(began.elapsed().as_secs() >= 3, "{:?}", began.elapsed());
}

/// The fields of an arena with a final.
fn fields(deadline: &str) -> [(&str, &str); 5] {
    [
        ("deadline", deadline),
        ("past", "yes"),
        ("final_games", "2"),
        ("final_minutes", "0"),
        ("boss", "cluster/greedy"),
    ]
}

#[test]
fn a_nonce_is_handed_in_and_revealed_by_itself() {
    agon_testkit::needs!("python3");
    let server = Server::with(&[]);
    let mut root = server.administrator();
    make_arena(&mut root, "cup", &fields("2999-01-01T12:00"));
    server.author(&mut root, "ada");
    let shell = Shell::new();
    shell.sign_in(&server, "ada");
    shell.write_bot("fox", &python_bot("cluster"));
    shell.ok(&["submit", "fox"]);
    let done = shell.run(&["status"]);
    assert!(!done.err.contains("secret number"), "others still hand in: {done:?}");

    let page = "/admin/arenas/cup";
    let over = arena_form("cup", &fields("2001-01-01T12:00"));
    assert_eq!(root.post(page, page, &over).status, 200);
    shell.run(&["status"]).says("final of cup is revealed");
    let done = shell.run(&["status"]);
    assert!(!done.err.contains("secret number"), "only once: {done:?}");

    organise(&mut root, "cup", "finish");
    let verify = ["ladder", "verify", server.address.as_str()];
    let done = wait_for("the final", || {
        let done = shell.run(&verify);
        let is_over = done.out.contains("1 final as drawn") && !done.out.contains("not played");
        is_over.then_some(done)
    });
    assert_eq!(done.code, 0, "{done:?}");
    // The nonce is part of the seed.
    let copy = shell.run(&["ladder", "dump", server.address.as_str(), "copy"]);
    assert_eq!(copy.code, 0, "{copy:?}");
    let finals = shell.folder().join("copy/log/finals");
    let draw = fs::read_dir(finals).unwrap().next().unwrap().unwrap().path();
    let draw: Value = serde_json::from_str(&fs::read_to_string(draw).unwrap()).unwrap();
    let entrants = draw["inputs"]["entrants"].as_array().unwrap();
    assert!(entrants.iter().any(|entrant| entrant["nonce"].is_string()), "{draw}");
    shell.ok(&["ladder", "verify", "copy", "--all"]).prints("256 parts");
}

#[test]
fn a_refused_hand_in_leaves_no_new_nonce() {
    let (server, mut root, _) = Server::with_ada();
    let shell = Shell::new();
    shell.sign_in(&server, "ada");
    shell.write_bot("fox", "x");
    let kept = || fs::read_to_string(shell.servers_file()).unwrap();
    let nonces = || kept().lines().filter(|line| line.starts_with("nonce = ")).count();
    let long = "x".repeat(41);
    shell.run(&["submit", "fox", "--no-wait", "--name", &long]).ends(2).says("1 to 40 characters");
    assert_eq!(nonces(), 0, "{}", kept());

    shell.ok(&["submit", "fox", "--no-wait"]);
    assert_eq!(nonces(), 1, "{}", kept());
    // A version that was taken came with it, so a later refusal does not forget it.
    let before = kept();
    let bot = "/arenas/cluster/bots/fox";
    root.post(&format!("{bot}/disqualify"), bot, &[("reason", "copied")]);
    shell.run(&["submit", "fox", "--no-wait"]).ends(2).says("disqualified your bot");
    let nonce =
        |text: &str| text.lines().find(|line| line.starts_with("nonce = ")).map(str::to_owned);
    assert_eq!(nonce(&kept()), nonce(&before));
}
