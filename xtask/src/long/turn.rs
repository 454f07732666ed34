//! Whose turn it is: the number of commits says so. On a slow machine nobody has a turn.

use std::{fs, path::PathBuf, process::Command, time::Duration};

use anyhow::{Context, Result, ensure};

use crate::run::root;

/// The time within which `cargo xtask test` must end, so that a long job may follow.
const LIMIT: Duration = Duration::from_secs(30 * 60);

/// Why there is no turn.
pub(super) const SLOW: &str = "the last `cargo xtask test` took 30 minutes or more";

/// Removes the time of an earlier run, because this one may fail.
pub(crate) fn forget_time() {
    let _ = fs::remove_file(time_file());
}

/// Keeps the time that `cargo xtask test` took.
pub(crate) fn note_time(took: Duration) -> Result<()> {
    let file = time_file();
    fs::write(&file, took.as_secs().to_string()).with_context(|| file.display().to_string())
}

/// Returns whether a long job may start: unless the last `cargo xtask test` was slow.
pub(super) fn has_time() -> bool {
    fits(fs::read_to_string(time_file()).ok().as_deref())
}

fn fits(seconds: Option<&str>) -> bool {
    let seconds = seconds.and_then(|text| text.trim().parse().ok());
    seconds.is_none_or(|seconds| Duration::from_secs(seconds) < LIMIT)
}

fn time_file() -> PathBuf {
    root().join("target").join("test-seconds")
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_machine_has_no_turn() {
        assert!(fits(None) && fits(Some("1799\n")) && !fits(Some("1800")));
    }
}
