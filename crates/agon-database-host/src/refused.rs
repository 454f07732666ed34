//! Refusals of orders: turns errors of SQLite and of files into answers to the arena.

use std::{io, path::Path};

use agon_database::Refusal;

/// A refusal, as a type of its own so that `?` can convert errors of SQLite.
#[derive(Debug)]
pub(crate) struct Refused(pub(crate) Refusal);

impl Refused {
    /// Says that the file is no database of a tournament.
    pub(crate) fn foreign() -> Refused {
        Refused(Refusal::Foreign)
    }

    /// Says that a file cannot be removed.
    pub(crate) fn remove(file: &Path, error: &io::Error) -> Refused {
        Refused(Refusal::Remove { file: file.into(), problem: error.to_string() })
    }
}

impl From<rusqlite::Error> for Refused {
    fn from(error: rusqlite::Error) -> Refused {
        Refused(Refusal::Sqlite { problem: error.to_string(), is_too_large: false })
    }
}
