//! Statistics at length: errors are as rare as promised within narrow bounds, and the matchmaker finds the order.

use anyhow::Result;

use crate::run::{cargo, root, step};

/// How often the tournaments of twelve bots are played.
const RUNS: &str = "40";

pub(super) fn run() -> Result<()> {
    // Features of their own, so that nothing else is built anew.
    let target = root().join("target").join("long");
    for (package, program) in [("agon-rating", ["--test", "all"]), ("agon", ["--bin", "agon"])] {
        let mut tests = cargo(&["test", "--release", "--features", "long-tests", "--package", package]);
        step(tests.args(program).arg("--target-dir").arg(&target).arg("at_length"))?;
    }
    let mut ladders =
        cargo(&["run", "--release", "--package", "agon-tournament", "--example", "matchmaking"]);
    step(ladders.arg("--target-dir").arg(&target).args(["--", "12", RUNS]))
}
