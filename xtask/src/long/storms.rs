//! The long job `storms`: servers, workers and coordinators die, stand still and forget.

use anyhow::Result;

use super::turn::commits;
use crate::{
    run::{cargo, step},
    setup,
};

/// How many storms; `cargo xtask test` has two. `AGON_STORMS=50` has more.
const STORMS: u64 = 10;

pub(super) fn run() -> Result<()> {
    setup::run()?;
    // The programs that the tests start.
    step(&mut cargo(&["build", "--package", "agon", "--package", "agon-nats"]))?;
    let test = ["test", "--quiet", "--package", "agon", "--test", "all", "remote::storm::"];
    // Each change has others.
    let first = commits()? * STORMS;
    step(
        cargo(&test)
            .args(["--", "--nocapture"])
            .env("AGON_TESTS_COMPLETE", "1")
            .env("AGON_STORMS", STORMS.to_string())
            .env("AGON_FIRST_STORM", first.to_string()),
    )?;
    let fleet = [
        "test",
        "--quiet",
        "--release",
        "--package",
        "agon-remote",
        "--test",
        "all",
        "simulation::",
    ];
    step(cargo(&fleet).env("AGON_SEEDS", "2000"))
}
