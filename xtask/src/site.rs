//! `cargo xtask site`: writes the documentation as a static site.
//!
//! `agon-site` does the work. It is a separate program, so that other chores need not build mdBook.

use std::{path::Path, process::Command};

use anyhow::{Result, bail};

use crate::run::{self, cargo, root, step};

/// Writes the site to a folder, by default `target/site`.
pub(crate) fn run(folder: Option<&str>) -> Result<()> {
    let target = run::target()?;
    let folder = match folder {
        Some(flag) if flag.starts_with('-') => bail!("`{flag}` is no folder for the site"),
        // Chores run in the root; the caller may be elsewhere.
        Some(folder) => std::path::absolute(Path::new(folder))?,
        None => target.join("site"),
    };
    step(&mut cargo(&["build", "--release", "--package", "agon"]))?;
    write(&target.join("release").join("agon"), &folder)
}

/// Writes the site to a folder, with the matches of a program `agon`.
pub(crate) fn write(agon: &Path, folder: &Path) -> Result<()> {
    step(&mut cargo(&["build", "--package", "xtask", "--features", "site", "--bin", "agon-site"]))?;
    let mut site = Command::new(run::target()?.join("debug").join("agon-site"));
    step(site.arg(agon).arg(root()).arg(folder))
}
