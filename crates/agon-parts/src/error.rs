//! The reasons why a part of Agon cannot be found, built or started.

use std::{io, path::PathBuf};

use thiserror::Error;

/// Why a part cannot be used.
#[derive(Debug, Error)]
pub enum PartError {
    /// It is nowhere.
    #[error("`{program}` is missing: {remedy}")]
    Missing {
        /// The program.
        program: &'static str,
        /// What helps.
        remedy: String,
    },
    /// It cannot be built.
    #[error("`{program}` cannot be built: `{command}` {problem}")]
    Build {
        /// The program.
        program: &'static str,
        /// What was tried.
        command: String,
        /// How it ended.
        problem: String,
    },
    /// It cannot be started.
    #[error("{}: cannot be started: {source}", .path.display())]
    Start {
        /// Where it is.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It is of another build than the arena, or something else.
    #[error("{}: {problem}; {remedy}", .path.display())]
    Other {
        /// Where it is.
        path: PathBuf,
        /// What it said.
        problem: String,
        /// What helps.
        remedy: String,
    },
}
