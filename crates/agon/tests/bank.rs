//! A bot that takes longer than its limit lives on its bank until that is used up.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::process::{Command, Stdio};

use serde_json::Value;

/// Plays some turns with a bot that uses 700 ms of CPU time for each of its answers, and returns
/// the result.
fn play(flags: &[&str]) -> Value {
    let bot = format!("python3 {}/tests/bots/cluster.py near-limit", env!("CARGO_MANIFEST_DIR"));
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("agon"));
    command.args([
        "play",
        "cluster",
        &bot,
        "builtin:random",
        "--set",
        "side=6",
        "--seed",
        "1",
        "--json",
    ]);
    let output = command.args(flags).stdin(Stdio::null()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{flags:?}: {text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let last: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    last["data"].clone()
}

#[test]
fn a_bank_pays_for_what_takes_longer() {
    agon_testkit::slow!();
    let result = play(&["--time", "200", "--bank", "60000", "--turns", "5"]);
    assert_eq!((&result["faults"], &result["turns"]), (&serde_json::json!([]), &5.into()));
}

#[test]
fn a_bank_that_is_used_up_is_told() {
    agon_testkit::slow!();
    // Each answer draws 500 ms at least, the first one more, for the start of Python.
    let result = play(&["--time", "200", "--bank", "1490"]);
    let fault = &result["faults"][0];
    assert_eq!(fault["kind"], "timeout", "{result:#}");
    // The third answer is never paid for. On a busy machine the start may leave too little
    // for the second.
    assert!([2, 4].contains(&fault["step"].as_u64().unwrap()), "{result:#}");
    let detail = fault["detail"].as_str().unwrap();
    assert!(detail.contains("the limit is 200 ms, and 1490 of 1490 ms of the bank"), "{detail}");
    assert!(detail.contains("ms of CPU time in"), "{detail}");
}

#[test]
fn without_a_bank_the_limit_is_the_end() {
    agon_testkit::needs!("python3");
    let result = play(&["--time", "200"]);
    let fault = &result["faults"][0];
    assert_eq!((&fault["kind"], &fault["step"]), (&"timeout".into(), &0.into()), "{result:#}");
    assert!(!fault["detail"].as_str().unwrap().contains("bank"), "{fault}");
}

#[test]
fn a_steady_tick_has_no_bank() {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("agon"));
    let output = command
        .args(["rezzo", "--bank", "100", "builtin:random", "builtin:random"])
        .output()
        .unwrap();
    let talk = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2));
    assert!(talk.contains("--bank: a steady tick waits for nobody"), "{talk}");
}
