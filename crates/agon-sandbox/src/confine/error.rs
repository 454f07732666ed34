//! The error of a step that confines a program. The program is then not started.

use std::io;

/// The reason why a program is not started.
#[derive(Debug, thiserror::Error)]
#[error("{what}: {source}")]
pub(crate) struct ConfineError {
    pub(crate) what: String,
    pub(crate) source: io::Error,
}

/// Adds the failed action to an error.
pub(super) fn failed<E: Into<io::Error>>(
    what: impl Into<String>,
) -> impl FnOnce(E) -> ConfineError {
    move |source| ConfineError { what: what.into(), source: source.into() }
}
