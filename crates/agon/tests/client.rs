//! `agon submit` and the like become the client of ladder servers; the tests of `agon-client` are
//! about what that does.

use std::process::{Command, Output};

fn run(args: &[&str], client: &std::path::Path) -> Output {
    let home = tempfile::tempdir().unwrap();
    Command::new(assert_cmd::cargo::cargo_bin!("agon"))
        .args(args)
        .env("AGON_CLIENT", client)
        .env("XDG_CONFIG_HOME", home.path())
        .env_remove("AGON_SERVER_URL")
        .env_remove("AGON_TOKEN")
        .output()
        .unwrap()
}

#[test]
fn words_reach_the_client_as_they_were_typed() {
    // A program that prints its words stands for the client.
    for words in [
        &["submit", "a b", "-m", "two words", "--no-wait"][..],
        &["login", "https://agon.example"],
        &["ladder", "verify", "copy", "--all"],
        &["--color", "never", "matches", "--json"],
    ] {
        let output = run(words, "/bin/echo".as_ref());
        assert!(output.status.success(), "{output:?}");
        assert_eq!(String::from_utf8_lossy(&output.stdout), words.join(" ") + "\n");
    }
}

#[test]
fn flags_are_checked_before_the_client_starts() {
    let missing = "/nowhere/agon-client".as_ref();
    let says = |args: &[&str], words: &str| {
        let output = run(args, missing);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && text.contains(words), "{args:?}: {text}");
    };
    says(&["leaderboard", "--limit", "0"], "0 is not in 1..=10000");
    says(&["login"], "<URL>");
    says(&["status"], "/nowhere/agon-client");
    let output = run(&["submit", "--help"], missing);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && text.contains("agon submit --dry-run"), "{text}");
}
