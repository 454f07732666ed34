//! The long job `kills`: the ladder server is killed again and again while it works.

use anyhow::Result;

use crate::run::{cargo, step};

/// How often it is killed; `cargo xtask test` has fewer. `AGON_KILLS=100` takes half an hour.
const KILLS: &str = "25";

pub(super) fn run() -> Result<()> {
    let test = ["test", "--quiet", "--package", "agon-server", "--test", "all", "kill::"];
    let kills = std::env::var("AGON_KILLS").unwrap_or_else(|_| KILLS.to_owned());
    step(cargo(&test).args(["--", "--nocapture"]).env("AGON_KILLS", kills))?;
    // The same part of the suite that takes too long elsewhere.
    let test = ["test", "--quiet", "--package", "agon-server", "--test", "all", "finals::"];
    step(cargo(&test).args(["--", "--ignored"]))
}
