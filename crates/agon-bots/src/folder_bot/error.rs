//! Why a folder is no bot that can play.

use std::path::{Path, PathBuf};
use std::{fmt::Display, io};

use thiserror::Error;

/// The most files and links of a bot.
pub(super) const FILES: usize = 10_000;

/// The most bytes of a bot's files.
pub(super) const BYTES: u64 = 64 << 20;

/// The most files and folders after a build: compilers leave many.
pub(super) const BUILT_FILES: usize = 100_000;

/// The most bytes after a build.
pub(super) const BUILT_BYTES: u64 = 1 << 30;

/// Why a folder is no bot that can play.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FolderError {
    /// There is no manifest, or it or `.agonignore` says something wrong, such as another game.
    #[error("{0}")]
    Manifest(String),
    /// The bot cannot be run as the manifest says.
    #[error("{0}")]
    Run(String),
    /// A link leads out of the folder.
    #[error(
        "the link `{}` leads out of the bot's folder, to `{}`; put a copy in its place, or name \
         the link in .agonignore", .path.display(), .target.display()
    )]
    Link {
        /// The link.
        path: PathBuf,
        /// Where it leads.
        target: PathBuf,
    },
    /// Something in the folder, or what its build leaves there, cannot be a part of a bot.
    #[error("{0}")]
    Content(String),
    /// A file or folder cannot be read or copied.
    #[error("cannot read `{}`: {source}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
}

impl FolderError {
    /// Returns the error of a manifest, or of another file of settings.
    pub(super) fn of_settings(path: &Path, why: impl Display) -> FolderError {
        FolderError::Manifest(format!("{}: {why}", path.display()))
    }
}
