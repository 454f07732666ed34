//! `cargo xtask generate`: writes all files that are generated from the code.
//!
//! They are C headers, Rust records, JSON Schemas and recorded conversations. Tests fail if they
//! are outdated.

use anyhow::Result;

use crate::{
    kit_types,
    run::{cargo, step},
};

/// Programs that write such files: package and example. The packages' own tests compare the files.
const WRITERS: [(&str, &str); 4] = [
    ("agon-contest", "contest-schemas"),
    ("agon-games", "headers"),
    ("agon-games", "jsonl"),
    ("agon-match", "schemas"),
];

/// Runs all of them, then writes the types of the starter kits: those come from the JSON Schemas.
pub(crate) fn run() -> Result<()> {
    for (package, example) in WRITERS {
        step(&mut cargo(&["run", "--quiet", "--package", package, "--example", example]))?;
    }
    kit_types::write()
}
