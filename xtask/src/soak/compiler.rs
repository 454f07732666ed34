//! Compiles the bots of a soak that are written in C.
//!
//! `lineup` calls it for each before the first match.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail};

/// Compiles a program in C.
pub(super) fn compile(source: &Path, program: &Path) -> Result<PathBuf> {
    let output = Command::new("cc").args(["-O2", "-o"]).arg(program).arg(source).output();
    let output = output.context("cannot run cc; `cargo xtask setup` installs it")?;
    if !output.status.success() {
        bail!("cc {}: {}", source.display(), String::from_utf8_lossy(&output.stderr));
    }
    Ok(program.to_owned())
}
