//! The long job `postgres`: all tests of the ladder server with a database of PostgreSQL, which is
//! also killed a hundred times while the server works.

use anyhow::Result;

use crate::{
    run::{cargo, step},
    suite,
};

/// How often it is killed; `cargo xtask test` has fewer.
const KILLS: &str = "100";

pub(super) fn run() -> Result<()> {
    // The program with which the tests get a database, and all that they start.
    step(&mut cargo(&["test", "--no-run", "--quiet", "--workspace"]))?;
    suite::with_postgres(true)?;
    let name = "postgres::nothing_acknowledged";
    let test = ["test", "--quiet", "--package", "agon-server", "--test", "all", name];
    step(cargo(&test).args(["--", "--nocapture"]).env("AGON_KILLS", KILLS))
}
