//! Opens replays.

use std::path::Path;

use agon_games::GameId;
use agon_match::replay::Replay;
use anyhow::{Context, Result};

/// Opens a replay, and finds its game.
///
/// # Errors
/// If the file is no replay, or its game is unknown.
pub(super) fn open(file: &Path) -> Result<(Replay, GameId)> {
    agon_files::protect(file);
    let replay = Replay::open_file(file).with_context(|| file.display().to_string())?;
    let id = replay.header().game.parse().with_context(|| file.display().to_string())?;
    Ok((replay, id))
}
