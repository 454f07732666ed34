//! A match that is over, as [`Match`](crate::Match) returns it.

use agon_core::{Game, Player};
use agon_replay::Diagnosis;

use crate::MatchResult;

/// A match that is over.
#[derive(Clone, Debug)]
pub struct Played<G: Game> {
    /// The result.
    pub result: MatchResult,
    /// The last state.
    pub game: G,
    /// Cost, stderr and end of bots that have processes.
    pub diagnosis: Diagnosis,
    /// The bot that alone was late when the machine stood still, so that the match is void.
    pub late_alone: Option<Player>,
}
