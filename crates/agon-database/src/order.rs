//! An order of the arena.

use serde::{Deserialize, Serialize};

/// What the arena wants. Each order gets one [`Answer`](crate::Answer).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Order {
    /// Open the database of a tournament, which is the first order. What is there of another plan
    /// or another version, or is damaged, is made anew. The message's bytes are
    /// [packed](crate::pack) [`BotRow`](crate::BotRow)s: all bots, in the order of the plan.
    Open {
        /// The file, as the bytes of its path.
        file: Vec<u8>,
        /// The digest of the plan.
        plan: String,
    },
    /// Make it anew, without matches: what is there is no beginning of the journal.
    Anew,
    /// Add matches, all of them or none. The message's bytes are packed
    /// [`MatchRow`](crate::MatchRow)s.
    Append {
        /// How many matches of the journal come before these. Those that are there already, because
        /// the program of an arena that was killed has just written them, are left out.
        before: u64,
    },
}
