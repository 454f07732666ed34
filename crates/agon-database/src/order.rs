//! An order of the arena to `agon-database-host`, the program that writes databases of tournaments.

use std::ffi::OsString;

use serde::{Deserialize, Serialize};

/// What the arena wants. Each order gets one [`Answer`](crate::Answer).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Order {
    /// Open the database of a tournament: the first order. A database of another plan or version,
    /// or a damaged one, is replaced. The message's bytes are [packed](crate::pack)
    /// [`BotRow`](crate::BotRow)s: all bots, in the order of the plan.
    Open {
        /// The path of the file.
        file: OsString,
        /// The digest of the plan.
        plan: String,
    },
    /// Replace the database by one without matches, because its matches are not the first ones of
    /// the journal.
    Anew,
    /// Add matches, all of them or none. The message's bytes are packed
    /// [`MatchRow`](crate::MatchRow)s.
    Append {
        /// How many matches of the journal come before these. Matches that are there already are
        /// left out: the host of an arena that was killed may have just written them.
        before: u64,
    },
}
