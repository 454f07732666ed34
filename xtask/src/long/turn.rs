//! Whose turn it is: the number of commits says so.

use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::run::root;

/// Returns the number of commits: each change gets the next job.
pub(super) fn commits() -> Result<u64> {
    let output =
        Command::new("git").args(["rev-list", "--count", "HEAD"]).current_dir(root()).output();
    let output = output.context("cannot run git")?;
    ensure!(
        output.status.success(),
        "git cannot count commits: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(String::from_utf8(output.stdout)?.trim().parse()?)
}
