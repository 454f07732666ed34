//! The wall limit is for bots that do not use the CPU they could have, not for those that get none.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::{
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;

/// Programs that keep all cores busy until this is dropped.
struct Busy(Vec<Child>);

impl Busy {
    fn start() -> Busy {
        let count = 4 * thread::available_parallelism().unwrap().get();
        // They also end when this program does.
        let script = "while kill -0 $0 2> /dev/null; do i=0; while [ $i -lt 100000 ]; do i=$((i + \
            1)); done; done";
        let busy = || {
            Command::new("sh")
                .args(["-c", script, &std::process::id().to_string()])
                .spawn()
                .unwrap()
        };
        Busy((0..count).map(|_| busy()).collect())
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill().and_then(|()| child.wait());
        }
    }
}

/// Plays a turn with a limit of 500 ms; returns the faults and how long it took.
fn play(mode: &str) -> (Vec<Value>, Duration) {
    let bot = format!("python3 {}/tests/bots/cluster.py {mode}", env!("CARGO_MANIFEST_DIR"));
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("agon"));
    command.args([
        "play",
        "cluster",
        &bot,
        "builtin:random",
        "--set",
        "side=5",
        "--turns",
        "1",
        "--json",
    ]);
    let begun = Instant::now();
    let output = command.args(["--time", "500"]).stdin(Stdio::null()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let last: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    (last["data"]["faults"].as_array().unwrap().clone(), begun.elapsed())
}

// One after the other: what starts in the background at the same time can hold locks that the other
// needs.
#[test]
fn a_bot_that_gets_no_core_has_time_and_one_that_sleeps_has_not() {
    agon_testkit::needs!("python3");
    let (faults, took) = play("sleeps");
    assert_eq!(faults[0]["kind"], "timeout", "after {took:?}: {faults:#?}");

    let busy = Busy::start();
    // Bots are less urgent than other programs: beside these it gets a fortieth of a core or less.
    let (faults, took) = play("thinks");
    drop(busy);
    assert!(faults.is_empty(), "after {took:?}: {faults:#?}");
}
