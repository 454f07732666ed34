//! People on the command line, where there is no screen for them.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::process::Command;

/// What is said about these arguments on a machine without a display; exit code 2.
fn refused(args: &[&str]) -> String {
    let mut agon = Command::new(env!("CARGO_BIN_EXE_agon"));
    let output =
        agon.args(args).env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{text}");
    text
}

#[test]
fn a_person_needs_a_screen() {
    for args in
        [&["play", "cluster", "human", "builtin:greedy"][..], &["cluster", "builtin:greedy"]]
    {
        let text = refused(args);
        assert!(text.contains("a person needs a screen to play on"), "{text}");
    }
}

#[test]
fn flags_for_people_need_people_and_a_game_that_can() {
    let greedy = ["play", "cluster", "builtin:greedy", "builtin:random"];
    for flags in [&["--human-time", "5"][..], &["--real-time"]] {
        let text = refused(&[&greedy[..], flags].concat());
        assert!(text.contains(flags[0]) && text.contains("nobody here is a person"), "{text}");
    }
    assert!(
        refused(&["play", "cluster", "human", "human", "--human-time", "0"])
            .contains("0.1 to 1000000")
    );
}

#[test]
fn people_are_not_examined() {
    let mut agon = Command::new(env!("CARGO_BIN_EXE_agon"));
    let output = agon.args(["check", "cluster", "human"]).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && text.contains("a person needs a board"), "{text}");
}
