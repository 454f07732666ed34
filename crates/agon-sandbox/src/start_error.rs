//! The reasons why a program could not be started.

use std::{io, path::PathBuf};

use thiserror::Error;

/// The reason why a program does not run.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StartError {
    /// The program that starts programs cannot be started itself.
    #[error("cannot start `{}`, which starts programs: {source}", path.display())]
    Launcher {
        /// The executable.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// The supervisor ended without a report, by another's doing.
    #[error("it cannot be started: its supervisor ended without a report")]
    Lost,
    /// A step of the start failed.
    #[error("{what}: {source}")]
    Failed {
        /// The step.
        what: String,
        /// The reason.
        source: io::Error,
    },
}

impl StartError {
    pub(crate) fn new(what: impl Into<String>, source: impl Into<io::Error>) -> StartError {
        StartError::Failed { what: what.into(), source: source.into() }
    }
}
