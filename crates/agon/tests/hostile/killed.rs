//! An arena that is killed.

use std::process::Stdio;

use super::{Outcome, TestDir, traces};
use crate::support::{names, until};

#[test]
fn nothing_outlives_an_arena_that_is_killed() {
    let dir = TestDir::new();
    let attacker = dir.attacker("orphan_and_hang");
    let mut command = dir.agon(&["play", "cluster", &attacker, &attacker, "--json", "--no-clock"]);
    let mut arena = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    // Two orphans of each bot that is asked; they have no environment, only a name.
    let orphans =
        || traces::processes(&dir).iter().filter(|process| process.contains("kworker/0:1")).count();
    until("two orphans", || orphans() >= 2);
    arena.kill().unwrap();
    let status = arena.wait().unwrap();
    let nothing = dir.write("out", "");
    let outcome = Outcome::new(status, &nothing, &nothing, 0);
    traces::assert_no_process(&dir);
    until("an empty folder", || names(dir.path("tmp")).is_empty());
    dir.assert_unharmed(&outcome);
}
