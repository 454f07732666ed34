//! The answer of `agon-database-host` to an order of the arena.

use std::ffi::OsString;

use serde::{Deserialize, Serialize};

/// What the program answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Answer {
    /// The database is open.
    Opened {
        /// How many matches are in it.
        matches: u64,
        /// The last one of them.
        last: Option<LastMatch>,
    },
    /// Matches were added.
    Appended {
        /// How many are in it now.
        matches: u64,
    },
    /// The order was not carried out.
    Refused(Refusal),
}

/// The last match in a database. It must be in the journal, too.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastMatch {
    /// Its id, as in the journal.
    pub id: String,
    /// Its key.
    pub key: String,
}

/// Why an order was not carried out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Refusal {
    /// SQLite refuses.
    Sqlite {
        /// SQLite's message.
        problem: String,
        /// Whether a file became larger than the limit for this process.
        is_too_large: bool,
    },
    /// A file cannot be removed.
    Remove {
        /// Its path.
        file: OsString,
        /// The system's message.
        problem: String,
    },
    /// The file is no database of a tournament.
    Foreign,
}
