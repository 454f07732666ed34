//! While a match waits for a bot, standard error says for whom.

use agon_testkit::slow;

use super::{dir, play};
use crate::support::Done;

/// The only line about a wait, without the name.
#[track_caller]
fn wait(done: &Done) -> &str {
    let lines: Vec<&str> = waits(done);
    assert_eq!(lines.len(), 1, "{}", done.err);
    lines[0].strip_prefix("waiting for rosa: ").unwrap()
}

fn waits(done: &Done) -> Vec<&str> {
    done.err.lines().filter(|line| line.starts_with("waiting for ")).collect()
}

#[test]
fn a_long_wait_has_one_line_where_nobody_sees_a_bar() {
    slow!();
    let dir = dir();
    let (_, done) = play(&dir, "cluster builtin:greedy builtin:random");
    assert_eq!(waits(&done), Vec::<&str>::new(), "a quick match has none");
    // Each of three answers takes long; quick ones lie between them.
    let bots = "'rosa=jsonl:python3 slow.py 1 7' builtin:grower";
    let (result, done) = play(&dir, &format!("cellhack {bots} --turns 2 --time 60000"));
    assert_eq!(result["faults"], serde_json::json!([]), "{result:#}");
    // It sleeps, so that its wall limit counts: 180 s.
    assert_eq!(wait(&done), "3 min left", "{done:?}");
    // An endless loop is named with its CPU time.
    let bots = "'rosa=jsonl:python3 slow.py 0 loop' builtin:grower";
    let (result, done) = play(&dir, &format!("cellhack {bots} --turns 1 --strikes 1"));
    assert_eq!(result["faults"][0]["kind"], "timeout", "{result:#}");
    let seconds: u64 = wait(&done).strip_suffix(" s left").unwrap().parse().unwrap();
    // Ten seconds of CPU time and five of the bank, of which some are gone.
    assert!((1..=40).contains(&seconds), "{done:?}");
}

#[test]
fn check_and_tournament_say_so_too() {
    slow!();
    let dir = dir();
    let check = "check cellhack 'rosa=jsonl:python3 slow.py 0 7' --games 1 --turns 1";
    dir.run(check).says("waiting for rosa: ");
    let plan = r#"
game = "cellhack"
bots = ["rosa=jsonl:python3 slow.py 0 loop", "builtin:grower"]
time = { strikes = 1 }
settings = { turns = 1 }
format = { kind = "round-robin" }
"#;
    dir.write("plan.toml", plan);
    dir.ok("tournament plan.toml").says("waiting for rosa: ").says(" s left");
}
