//! The long job `power`: the ladder server loses its power a hundred times while it works.

use anyhow::Result;

use crate::run::{cargo, step};

/// How often it loses its power; `cargo xtask test` has fewer.
const FAILURES: &str = "100";

pub(super) fn run() -> Result<()> {
    let test = ["test", "--quiet", "--package", "agon-server", "--test", "all", "power::"];
    step(cargo(&test).args(["--", "--nocapture"]).env("AGON_FAILURES", FAILURES))
}
