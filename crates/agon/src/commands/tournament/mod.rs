//! `agon tournament ...`

mod report;

use std::{io::Write, path::Path};

use anyhow::Result;

use crate::{Exit, cli::TournamentCommand};

/// Carries out one of the commands.
///
/// # Errors
/// If it cannot be carried out.
pub(crate) fn tournament(command: &TournamentCommand, out: &mut impl Write) -> Result<Exit> {
    match command {
        TournamentCommand::Report(args) => report::report(&folder(&args.folder), args, out),
    }
}

/// The folder of a tournament that is named by its folder or its plan: that of `cup.toml` is `cup`.
fn folder(path: &Path) -> std::path::PathBuf {
    if path.is_file() { path.with_extension("") } else { path.to_owned() }
}
