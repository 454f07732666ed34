//! The long job `postgres`: all tests of the ladder server with a database of PostgreSQL, which is
//! also killed again and again while the server works.

use anyhow::Result;

use crate::{
    run::{cargo, step},
    suite,
};

/// How often it is killed; `cargo xtask test` has fewer. `AGON_KILLS=100` takes an hour.
const KILLS: &str = "15";

pub(super) fn run() -> Result<()> {
    // The program with which the tests get a database, and all that they start.
    step(&mut cargo(&["test", "--no-run", "--quiet", "--workspace"]))?;
    suite::with_postgres()?;
    let name = "postgres::nothing_acknowledged";
    let test = ["test", "--quiet", "--package", "agon-server", "--test", "all", name];
    let kills = std::env::var("AGON_KILLS").unwrap_or_else(|_| KILLS.to_owned());
    step(cargo(&test).args(["--", "--nocapture"]).env("AGON_KILLS", kills))
}
