//! `cargo xtask format`: formats all code. `cargo xtask test` checks the format.
//!
//! A macro declares the modules of the games. rustfmt does not look into macros, so it gets the
//! games' files by name.

use std::{fs, path::PathBuf, process::Command};

use anyhow::{Context, Result};

use crate::run::{cargo, root, step};

/// Fails if rustfmt would change something.
pub(crate) fn check() -> Result<()> {
    step(&mut cargo(&["fmt", "--all", "--check"]))?;
    step(rustfmt()?.arg("--check"))
}

/// Formats everything.
pub(crate) fn write() -> Result<()> {
    step(&mut cargo(&["fmt", "--all"]))?;
    step(&mut rustfmt()?)
}

fn rustfmt() -> Result<Command> {
    let mut command = Command::new("rustfmt");
    command.args(["--edition", "2024"]).args(games()?);
    Ok(command)
}

/// Returns the first file of each game. A folder with a page is a game.
pub(crate) fn games() -> Result<Vec<PathBuf>> {
    let folder = root().join("crates/agon-games/src");
    let mut files = Vec::new();
    for entry in fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.join("page.md").is_file() {
            files.push(path.join("mod.rs"));
        }
    }
    files.sort();
    Ok(files)
}
