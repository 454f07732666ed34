//! Running programs from the root of the workspace.

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context, Result, bail};

/// The root of the workspace.
pub(crate) fn root() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().unwrap_or(manifest).to_owned()
}

/// Whether a program is on the PATH.
pub(crate) fn has(program: &str) -> bool {
    let probe = Command::new("sh").args(["-c", "command -v \"$0\"", program]).stdout(Stdio::null()).status();
    probe.is_ok_and(|status| status.success())
}

/// Runs a command, showing it first; its failure is an error.
pub(crate) fn step(command: &mut Command) -> Result<()> {
    let words: Vec<_> = std::iter::once(command.get_program()).chain(command.get_args()).collect();
    let line = words.iter().map(|w| w.to_string_lossy()).collect::<Vec<_>>().join(" ");
    eprintln!("\n==> {line}");
    let status = command.current_dir(root()).status().with_context(|| format!("cannot run {line}"))?;
    if !status.success() {
        bail!("failed with {status}: {line}");
    }
    Ok(())
}

/// `cargo` with arguments.
pub(crate) fn cargo(args: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(args);
    command
}
