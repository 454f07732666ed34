//! `agon completions` and the manual pages, for packages.
//!
//! Only builds with the feature `manual` have them: their libraries would delay the first match of
//! those who build from source.

use std::{io::Write, path::Path};

use anyhow::Result;

use crate::cli::Shell;

/// Prints the script that completes `agon`'s arguments in a shell.
///
/// # Errors
/// If this build has none.
#[cfg(feature = "manual")]
pub(crate) fn completions(shell: Shell, out: &mut impl Write) -> Result<()> {
    use clap_complete::{aot, generate};

    let generator = match shell {
        Shell::Bash => aot::Shell::Bash,
        Shell::Zsh => aot::Shell::Zsh,
        Shell::Fish => aot::Shell::Fish,
        Shell::Elvish => aot::Shell::Elvish,
        Shell::Powershell => aot::Shell::PowerShell,
    };
    // The generator panics if it cannot write.
    let mut script = Vec::new();
    generate(generator, &mut crate::cli::command(), "agon", &mut script);
    Ok(out.write_all(&script)?)
}

/// Prints the script that completes `agon`'s arguments in a shell.
///
/// # Errors
/// If this build has none.
#[cfg(not(feature = "manual"))]
pub(crate) fn completions(_shell: Shell, _out: &mut impl Write) -> Result<()> {
    anyhow::bail!("{MISSING}")
}

/// Writes a manual page for each command to a folder.
///
/// # Errors
/// If this build has none, or a file cannot be written.
#[cfg(feature = "manual")]
pub(crate) fn manual(folder: &Path) -> Result<()> {
    clap_mangen::generate_to(crate::cli::command(), folder)
        .map_err(|error| anyhow::Error::new(error).context(folder.display().to_string()))
}

/// Writes a manual page for each command to a folder.
///
/// # Errors
/// If this build has none, or a file cannot be written.
#[cfg(not(feature = "manual"))]
pub(crate) fn manual(_folder: &Path) -> Result<()> {
    anyhow::bail!("{MISSING}")
}

/// The remedy if this program was built without them.
#[cfg(not(feature = "manual"))]
const MISSING: &str = "this program was built without completions and manual pages; `cargo build \
                       --release -p agon --features manual` in Agon's source builds one with them";
