//! The long job `kills`: the ladder server is killed a hundred times while it works.

use anyhow::Result;

use crate::run::{cargo, step};

/// How often it is killed; `cargo xtask test` has fewer.
const KILLS: &str = "100";

pub(super) fn run() -> Result<()> {
    let test = ["test", "--quiet", "--package", "agon-server", "--test", "all", "kill::"];
    step(cargo(&test).args(["--", "--nocapture"]).env("AGON_KILLS", KILLS))?;
    // The same part of the suite that takes too long elsewhere.
    let test = ["test", "--quiet", "--package", "agon-server", "--test", "all", "finals::"];
    step(cargo(&test).args(["--", "--ignored"]))
}
