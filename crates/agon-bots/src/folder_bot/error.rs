//! Why a folder is no bot that can play.

use std::{io, path::PathBuf};

use agon_match::spec::MANIFEST;
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
    /// The folder has no manifest.
    #[error(
        "the folder `{}` has no {MANIFEST}, which says how to play the bot in it; write one there, \
         such as:\n\n{example}", .folder.display()
    )]
    NoManifest {
        /// The folder.
        folder: PathBuf,
        /// A manifest that may fit.
        example: String,
    },
    /// The manifest cannot be read, or says something wrong.
    #[error("{}: {why}", .path.display())]
    Manifest {
        /// The manifest.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// The bot plays another game.
    #[error(
        "`{}` is a bot for {own}, as its {MANIFEST} says, not for {game}", .folder.display()
    )]
    OtherGame {
        /// The folder.
        folder: PathBuf,
        /// The game in the manifest.
        own: &'static str,
        /// The game that is played.
        game: &'static str,
    },
    /// The bot cannot be run as the manifest says.
    #[error("{}/{MANIFEST}: run = \"{run}\": {why}", .folder.display())]
    Run {
        /// The folder.
        folder: PathBuf,
        /// The bot in the manifest.
        run: String,
        /// What is wrong.
        why: String,
    },
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
    /// Something is neither a file nor a folder.
    #[error(
        "`{}` is neither a file nor a folder; remove it, or name it in .agonignore",
        .path.display()
    )]
    Special {
        /// The path.
        path: PathBuf,
    },
    /// There is too much in the folder.
    #[error(
        "the folder `{}` holds more than {FILES} files or {} MiB, the most of a bot; name what is \
         no part of it in .agonignore", .folder.display(), BYTES >> 20
    )]
    TooLarge {
        /// The folder.
        folder: PathBuf,
    },
    /// Its build makes too much.
    #[error(
        "the folder `{}` holds more than {BUILT_FILES} files or {} MiB after its build \
         (`{build}`); let the build delete what the bot does not need",
        .folder.display(), BUILT_BYTES >> 20
    )]
    BuiltTooLarge {
        /// The folder.
        folder: PathBuf,
        /// The line that builds the bot.
        build: String,
    },
    /// Its build leaves something that cannot be a part of a bot.
    #[error("the build of the folder `{}` (`{build}`) leaves {what}", .folder.display())]
    BuiltWrong {
        /// The folder.
        folder: PathBuf,
        /// The line that builds the bot.
        build: String,
        /// What it leaves, and what to do.
        what: String,
    },
    /// A file or folder cannot be read or copied.
    #[error("cannot read `{}`: {source}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
}
