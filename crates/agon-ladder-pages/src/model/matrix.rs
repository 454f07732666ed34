//! Results of every two bots.

use super::{ArenaHead, BotRef, Tally};

/// Results of the best bots against each other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matrix {
    /// The arena.
    pub arena: ArenaHead,
    /// The best bots, best first; at most 30.
    pub bots: Vec<BotRef>,
    /// A row for each bot: its results against each, in the same order. `None`: they did not meet.
    pub rows: Vec<Vec<Option<Tally>>>,
    /// How many bots are left out.
    pub left_out: u64,
}
