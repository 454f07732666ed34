//! Unpacks archives for a root of files.

use std::{fs, path::Path, process::Command};

use anyhow::Result;

use crate::run::step;

/// Unpacks a tar, compressed or not, to a folder.
pub(super) fn unpack(tar: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    // Device files are not for everybody to make, and each root gets its own.
    step(Command::new("tar").args(["--exclude=./dev/*", "-xf"]).arg(tar).arg("-C").arg(to))
}
