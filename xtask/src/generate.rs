//! Files that are generated from the code.

use anyhow::Result;

use crate::run::{cargo, step};

/// Programs that write such files: package and example. The packages' own tests compare the files.
const WRITERS: [(&str, &str); 5] = [
    ("agon-events", "schema"),
    ("agon-games", "headers"),
    ("agon-games", "jsonl"),
    ("agon-report", "schema"),
    ("agon-spec", "schemas"),
];

/// Runs all of them.
pub(crate) fn run() -> Result<()> {
    for (package, example) in WRITERS {
        step(&mut cargo(&["run", "--quiet", "--package", package, "--example", example]))?;
    }
    Ok(())
}
