//! The author's part in a final: a secret number that is revealed after the deadline.

use crate::{
    shell::Shell,
    support::{Server, python_bot, wait_for},
};

fn form(deadline: &str) -> Vec<(&str, &str)> {
    vec![
        ("title", "Cup"),
        ("slug", "cup"),
        ("game", "cluster"),
        ("preset", "short"),
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
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &[]);
    let mut root = server.administrator();
    let new = "/admin/arenas/new";
    assert_eq!(root.post(new, new, &form("2999-01-01T12:00")).path, "/arenas/cup?done=made");
    server.author(&mut root, "ada");
    let shell = Shell::new();
    shell.sign_in(&server, "ada");
    shell.write_bot("fox", &python_bot("cluster"));
    shell.ok(&["submit", "fox"]);
    let done = shell.run(&["status"]);
    assert!(!done.err.contains("secret number"), "others still hand in: {done:?}");

    let page = "/admin/arenas/cup";
    assert_eq!(root.post(page, page, &form("2001-01-01T12:00")).status, 200);
    shell.run(&["status"]).says("final of cup is revealed");
    let done = shell.run(&["status"]);
    assert!(!done.err.contains("secret number"), "only once: {done:?}");

    assert_eq!(root.post("/admin/arenas/cup/finish", page, &[]).status, 200);
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
    let draw = std::fs::read_dir(finals).unwrap().next().unwrap().unwrap().path();
    let draw: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(draw).unwrap()).unwrap();
    let entrants = draw["inputs"]["entrants"].as_array().unwrap();
    assert!(entrants.iter().any(|entrant| entrant["nonce"].is_string()), "{draw}");
    shell.ok(&["ladder", "verify", "copy", "--all"]).prints("256 parts");
}

#[test]
fn a_refused_hand_in_leaves_no_new_nonce() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--arena", "cluster"]);
    let mut root = server.administrator();
    server.author(&mut root, "ada");
    let shell = Shell::new();
    shell.sign_in(&server, "ada");
    shell.write_bot("fox", "x");
    let kept = || std::fs::read_to_string(shell.servers_file()).unwrap();
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
