//! The long job `simulations`: runs the tests of statistics at length.
//!
//! Errors must be as rare as promised within narrow bounds, and the matchmaker must find the order.

use anyhow::Result;

use crate::run::{cargo, root, step};

/// Examples that simulate tournaments and check their intervals: package, name, runs.
const COVERAGE: [[&str; 3]; 2] =
    [["agon-rating", "coverage", "300"], ["agon-contest", "ladder_coverage", "200"]];

/// Bots and runs of the simulated tournaments; many more would take an hour.
const LADDERS: [[&str; 2]; 2] = [["12", "40"], ["40", "8"]];

pub(super) fn run() -> Result<()> {
    // A separate target folder for other features, so that nothing else is rebuilt.
    let target = root().join("target").join("long");
    for (package, program) in
        [("agon-rating", &["--lib", "--test", "all"][..]), ("agon-contest", &["--lib"][..])]
    {
        let mut tests =
            cargo(&["test", "--release", "--features", "long-tests", "--package", package]);
        step(tests.args(program).arg("--target-dir").arg(&target).args([
            "at_length",
            "--",
            "--nocapture",
        ]))?;
    }
    for [package, example, runs] in COVERAGE {
        let mut coverage = cargo(&["run", "--release", "--package", package, "--example", example]);
        step(coverage.arg("--target-dir").arg(&target).args(["--", runs]))?;
    }
    LADDERS.into_iter().try_for_each(|args| {
        let mut ladders =
            cargo(&["run", "--release", "--package", "agon-contest", "--example", "matchmaking"]);
        step(ladders.arg("--target-dir").arg(&target).arg("--").args(args))
    })
}
