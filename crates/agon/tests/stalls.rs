//! The arena is stopped in the middle of a match and goes on later: such a match is void, and
//! played again.

use std::{thread, time::Duration};

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::{Done, TestDir, end_of, signal, until};

/// A match with a slow tick, so that a busy machine does not make bots late. The bot waits in its
/// second turn until there is a file `go`; that it was asked it tells by a file.
const REZZO: &str = "rezzo -w 40 -h 40 -t 2000 -r 5 --max-ticks 3 --replay m.agon \
    'python3 BOTS/waits.py rezzo .' builtin:random --sandbox=off";

const CLUSTER: &str = "play cluster 'python3 BOTS/waits.py cluster .' builtin:greedy --set side=5 \
    --json --sandbox=off";

/// Starts a match and stops the arena for a while as soon as the bot waits, which then goes on if
/// `goes_on`.
fn stalled(dir: &TestDir, line: &str, goes_on: bool) -> Done {
    let arena = dir.start(line);
    until("a question", || dir.path("asked").exists());
    signal(&arena, Signal::STOP);
    // Longer than the second that makes a match void, and than a tick.
    let stall = if line.starts_with("rezzo") { 2500 } else { 1500 };
    thread::sleep(Duration::from_millis(stall));
    if goes_on {
        dir.write("go", "");
    }
    signal(&arena, Signal::CONT);
    end_of(arena)
}

fn replay_info(dir: &TestDir) -> Value {
    dir.ok("replay info --json m.agon").lines().remove(0)["data"].take()
}

#[test]
fn a_match_during_which_the_arena_stood_still_is_played_again() {
    agon_testkit::needs!("python3");
    let dir = TestDir::new();
    let line = format!("{CLUSTER} --seed 3 --time 60000");
    let done = stalled(&dir, &format!("{line} --replay m.agon --log log"), true);
    assert_eq!(done.code, Some(0), "{}", done.err);
    done.says("void: the arena stood still for");
    done.says("played again (2 of 3); it helps to end other programs");
    let printed = done.lines();
    let types: Vec<&str> = printed.iter().map(|line| line["type"].as_str().unwrap()).collect();
    assert_eq!(types, ["match", "void", "result"]);
    let void = &printed[1]["data"];
    assert_eq!((&void["attempt"], &void["void"]["reason"]), (&1.into(), &"stall".into()));
    assert!(void["void"]["stall_ms"].as_u64().unwrap() >= 1000);
    let result = &printed[2]["data"];
    assert!(result["void"].is_null() && result["faults"] == json!([]), "{result:#}");

    // The replay is that of the second attempt: the one that would be without any stall.
    assert_eq!(dir.run(&format!("{line} --replay again.agon")).lines().len(), 2);
    let states = |replay: &str| dir.ok(&format!("replay export {replay} --states -")).out;
    let expected = states("again.agon");
    assert!(expected.len() > 1000 && states("m.agon") == expected);
    // So is the log; that of the first is beside it.
    for folder in ["log", "log-void-1"] {
        assert!(dir.path(folder).join("match.json").is_file(), "{folder} is there");
    }
}

#[test]
fn a_bot_that_was_late_because_the_arena_stood_still_is_not_blamed() {
    agon_testkit::slow!();
    let dir = TestDir::new();
    let done = stalled(&dir, REZZO, true);
    assert_eq!(done.code, Some(0), "{}", done.all());
    done.says("played again");
    let info = replay_info(&dir);
    assert!(info["result"]["void"].is_null() && info["faults"] == json!([]), "{info:#}");
    assert_eq!(info["steps"], 3);
}

#[test]
fn a_void_match_that_is_kept_says_so_wherever_it_is_shown() {
    agon_testkit::slow!();
    let dir = TestDir::new();
    // The bot does not go on: its tick is over when the arena does.
    let done = stalled(&dir, &format!("{REZZO} --keep-void"), false);
    assert_eq!(done.code, Some(1), "{}", done.all());
    done.says("void: the arena stood still for");
    done.says("in which a bot was late; the result counts for nothing; it helps to end other");
    let info = replay_info(&dir);
    assert_eq!(info["result"]["void"]["reason"], "timeout", "{info:#}");
    let fault = &info["faults"][0];
    assert_eq!((&fault["kind"], &fault["step"]), (&"timeout".into(), &1.into()));
    dir.ok("replay info m.agon").says("void: the arena stood still for");
    // What is void is still proven.
    dir.ok("replay verify m.agon");
}

#[test]
fn a_match_without_clocks_is_never_void() {
    agon_testkit::needs!("python3");
    let dir = TestDir::new();
    let done = stalled(&dir, &format!("{CLUSTER} --no-clock"), true);
    let printed = done.lines();
    assert_eq!((printed.len(), done.code), (2, Some(0)));
    let result = &printed[1]["data"];
    assert!(result.get("longest_stall_ms").is_none() && result.get("void").is_none());
}
