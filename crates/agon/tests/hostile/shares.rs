//! Bots that use up what the kernel counts for all programs of a user together.

use serde_json::Value;

use super::{Outcome, TestDir};

/// Plays beside a bot that uses a little of everything. Returns the attacker's fault.
#[track_caller]
fn beside(attack: &str) -> (Outcome, Value) {
    let dir = TestDir::alone();
    let [fox, hen] = [attack, "neighbour"].map(|mode| format!("jsonl:{}", dir.attacker(mode)));
    // Both are asked at the same time.
    let usual = ["play", "cellhack", &fox, &hen, "--turns", "4", "--json"];
    let outcome = dir.run(&[&usual[..], &["--time", "20000"]].concat());
    // Neither of them answers.
    assert_eq!(outcome.code, Some(1), "{outcome:?}");
    let fault_of = |player: u64| {
        let fault = outcome.faults.iter().find(|fault| fault["player"] == player);
        fault.unwrap_or_else(|| panic!("{player} has no fault: {outcome:?}")).clone()
    };
    assert_eq!(outcome.harm_in(&fault_of(1)), [] as [&str; 0], "{outcome:?}");
    let fault = fault_of(0);
    (outcome, fault)
}

#[test]
fn watches_and_open_files_of_others_are_left() {
    let watches = "files with epoll; the limit is 16384";
    for (attack, detail) in [
        ("watches", watches),
        ("hidden_watches", watches),
        ("open_files", "files open in all its processes; the limit is 4096"),
    ] {
        let (outcome, fault) = beside(attack);
        // Its end, or that of its output, may be seen first.
        assert!(fault["detail"].as_str().unwrap().contains(detail), "{outcome:?}");
    }
}

#[test]
fn whatever_a_bot_hoards_others_have_enough() {
    let (outcome, fault) = beside("hoard");
    assert_eq!(outcome.harm_in(&fault), [] as [&str; 0], "{outcome:?}");
}
