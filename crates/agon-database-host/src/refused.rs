//! Reasons to refuse an order.

use std::{io, os::unix::ffi::OsStrExt, path::Path};

use agon_database::Refusal;

/// A refusal with a type of its own, into which errors of SQLite turn by themselves.
#[derive(Debug)]
pub(crate) struct Refused(pub(crate) Refusal);

impl Refused {
    /// The file is no database of a tournament.
    pub(crate) fn foreign() -> Refused {
        Refused(Refusal::Foreign)
    }

    /// A file cannot be removed.
    pub(crate) fn remove(file: &Path, error: &io::Error) -> Refused {
        Refused(Refusal::Remove {
            file: file.as_os_str().as_bytes().to_owned(),
            problem: error.to_string(),
        })
    }
}

impl From<rusqlite::Error> for Refused {
    fn from(error: rusqlite::Error) -> Refused {
        Refused(Refusal::Sqlite { problem: error.to_string(), is_too_large: false })
    }
}
