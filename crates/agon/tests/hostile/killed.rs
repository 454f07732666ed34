//! An arena that is killed.

use std::{
    fs,
    process::Stdio,
    thread,
    time::{Duration, Instant},
};

use super::{Outcome, TestDir, traces};

#[test]
fn nothing_outlives_an_arena_that_is_killed() {
    let dir = TestDir::new();
    let attacker = dir.attacker("orphan_and_hang");
    let mut command = dir.agon(&["play", "cluster", &attacker, &attacker, "--json", "--no-clock"]);
    let mut arena = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let begun = Instant::now();
    // Two orphans of each bot that is asked; they have no environment, only a name.
    let orphans =
        || traces::processes(&dir).iter().filter(|process| process.contains("kworker/0:1")).count();
    while orphans() < 2 {
        assert!(begun.elapsed() < Duration::from_secs(60), "{:#?}", traces::processes(&dir));
        thread::sleep(Duration::from_millis(10));
    }
    arena.kill().unwrap();
    let status = arena.wait().unwrap();
    let nothing = dir.write("out", "");
    let outcome = Outcome::new(status, &nothing, &nothing, 0);
    traces::assert_no_process(&dir);
    while fs::read_dir(dir.path("tmp")).unwrap().count() > 0
        && begun.elapsed() < Duration::from_secs(60)
    {
        thread::sleep(Duration::from_millis(10));
    }
    dir.assert_unharmed(&outcome);
}
