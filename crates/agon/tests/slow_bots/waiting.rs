//! While a match waits for a bot, standard error says for whom.

use std::fs;

use super::{agon, folder, play};

/// The lines about waits.
fn waits(said: &str) -> Vec<&str> {
    said.lines().filter(|line| line.starts_with("waiting for ")).collect()
}

#[test]
fn a_long_wait_has_one_line_where_nobody_sees_a_bar() {
    agon_testkit::slow!();
    let folder = folder();
    // Each of three answers takes long; quick ones lie between them.
    let args = [
        "cellhack",
        "rosa=jsonl:python3 slow.py 1 7",
        "builtin:grower",
        "--turns",
        "2",
        "--time=60000",
    ];
    let (result, said) = play(&folder, &args);
    assert_eq!(result["faults"], serde_json::json!([]), "{result:#}");
    let lines = waits(&said);
    assert_eq!(lines.len(), 1, "{said}");
    let seconds = lines[0].strip_prefix("waiting for rosa: ").unwrap();
    let seconds = seconds.strip_suffix(" left").unwrap();
    // It sleeps, so that its wall limit counts: 180 s.
    assert_eq!(seconds, "3 min", "{said}");
}

#[test]
fn an_endless_loop_is_named_with_its_cpu_time() {
    agon_testkit::slow!();
    let folder = folder();
    let args = [
        "cellhack",
        "rosa=jsonl:python3 slow.py 0 loop",
        "builtin:grower",
        "--turns",
        "1",
        "--strikes",
        "1",
    ];
    let (result, said) = play(&folder, &args);
    assert_eq!(result["faults"][0]["kind"], "timeout", "{result:#}");
    let lines = waits(&said);
    assert_eq!(lines.len(), 1, "{said}");
    let seconds = lines[0].strip_prefix("waiting for rosa: ").unwrap();
    let seconds: u64 = seconds.strip_suffix(" s left").unwrap().parse().unwrap();
    // Ten seconds of CPU time and five of the bank, of which some are gone.
    assert!((1..=40).contains(&seconds), "{said}");
}

#[test]
fn a_quick_match_has_no_such_line() {
    let folder = folder();
    let (_, said) = play(&folder, &["cluster", "builtin:greedy", "builtin:random"]);
    assert_eq!(waits(&said), Vec::<&str>::new());
}

#[test]
fn check_and_tournament_say_so_too() {
    agon_testkit::slow!();
    let folder = folder();
    let output = agon(
        &folder,
        &["check", "cellhack", "rosa=jsonl:python3 slow.py 0 7", "--games", "1", "--turns", "1"],
    );
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("waiting for rosa: "), "{said}");
    let plan = r#"
game = "cellhack"
bots = ["rosa=jsonl:python3 slow.py 0 loop", "builtin:grower"]
[time]
strikes = 1
[settings]
turns = 1
[format]
kind = "round-robin"
"#;
    fs::write(folder.path().join("plan.toml"), plan).unwrap();
    let output = agon(&folder, &["tournament", "plan.toml"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("waiting for rosa: "), "{said}");
    assert!(said.contains(" s left"), "{said}");
}
