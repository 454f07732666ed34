//! What the library's errors mean.

use std::io;

use tokio_postgres::Error;

use crate::database::DatabaseError;

/// Makes the error that no connection can be had.
pub(super) fn unreachable(error: &deadpool_postgres::PoolError) -> DatabaseError {
    DatabaseError::Engine(format!("it cannot be reached: {}", causes(error)))
}

/// Returns whether the connection is of no use any more, rather than a statement wrong.
pub(super) fn has_gone(error: &Error) -> bool {
    let is_broken =
        || std::error::Error::source(error).is_some_and(|cause| cause.is::<io::Error>());
    // Class 57P: the server stops, has crashed, or does not take connections yet.
    let is_stopping = || error.code().is_some_and(|code| code.code().starts_with("57P"));
    error.is_closed() || is_broken() || is_stopping()
}

/// Returns what the error of a statement means for whoever asked.
pub(super) fn failed(error: &Error) -> DatabaseError {
    match error.code().map(|code| code.code()) {
        // Class 23: a constraint.
        Some(code) if code.starts_with("23") => DatabaseError::Taken,
        Some("53100") => DatabaseError::Full,
        _ => DatabaseError::Engine(causes(error)),
    }
}

/// Writes an error with its causes.
pub(super) fn causes(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text = format!("{text}: {cause_text}");
        }
        next = cause.source();
    }
    text
}
