//! The reasons why a part of Agon cannot be found, built or started.

use std::{io, path::PathBuf};

use thiserror::Error;

/// The reason why a part cannot be used.
#[derive(Debug, Error)]
pub enum PartError {
    /// It was not found.
    #[error("`{program}` is missing: {remedy}")]
    Missing {
        /// The program.
        program: &'static str,
        /// The remedy.
        remedy: String,
    },
    /// It cannot be built.
    #[error("`{program}` cannot be built: `{command}` {problem}")]
    Build {
        /// The program.
        program: &'static str,
        /// The command that was tried.
        command: String,
        /// How it ended.
        problem: String,
    },
    /// It cannot be started.
    #[error("{}: cannot be started: {source}", .path.display())]
    Start {
        /// Its path.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// It belongs to another build than the arena, or is another program.
    #[error("{}: {problem}; {remedy}", .path.display())]
    Other {
        /// Its path.
        path: PathBuf,
        /// The problem.
        problem: String,
        /// The remedy.
        remedy: String,
    },
}
