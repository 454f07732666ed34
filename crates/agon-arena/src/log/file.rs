//! Writes the files of a match's log (`agon play --log DIR`), and names errors in that.

use std::{
    fs,
    io::{self, Write},
    path::Path,
};

use agon_core::Player;
use agon_core::text::EscapeWriter;
use agon_files::write_whole;
use serde_json::Value;
use thiserror::Error;

/// Why a log cannot be written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LogError {
    /// The folder has something in it.
    #[error(
        "{0} is not empty; name a new folder for --log, or delete it first if you do not need it"
    )]
    NotEmpty(String),
    /// The path has no last part.
    #[error("the folder for --log has no name")]
    NoName,
    /// The folder cannot be made.
    #[error("cannot make the folder {path} for the log: {source}")]
    Folder {
        /// The folder.
        path: String,
        /// Why.
        source: io::Error,
    },
    /// The log of a void match cannot be put aside.
    #[error("cannot rename {path}: {source}")]
    Rename {
        /// The folder.
        path: String,
        /// Why.
        source: io::Error,
    },
    /// A file cannot be written.
    #[error("cannot write the log, {path}: {source}")]
    Write {
        /// The file.
        path: String,
        /// Why.
        source: io::Error,
    },
    /// A file cannot be replaced.
    #[error("cannot write the log: {0}")]
    Replace(#[from] agon_files::WriteError),
    /// An event is about a player that the match does not have.
    #[error("there is no player {0}")]
    NoPlayer(Player),
}

pub(super) type Result<T> = std::result::Result<T, LogError>;

pub(super) fn make_folder(folder: &Path) -> Result<()> {
    let path = || folder.display().to_string();
    fs::create_dir_all(folder).map_err(|source| LogError::Folder { path: path(), source })
}

/// Writes a file as a whole, or leaves it as it was.
pub(super) fn write_json(path: &Path, value: &Value) -> Result<()> {
    let mut text = EscapeWriter::new(Vec::new());
    let mut write = || {
        serde_json::to_writer_pretty(&mut text, value)?;
        text.write_all(b"\n")
    };
    write().map_err(|source| cannot_write(path, source))?;
    let text = text.finish().map_err(|source| cannot_write(path, source))?;
    Ok(write_whole(path, &text)?)
}

pub(super) fn cannot_write(path: &Path, source: io::Error) -> LogError {
    LogError::Write { path: path.display().to_string(), source }
}
