//! A question to a person: the decisions of one player in one state.
//!
//! A [`PromptSource`](crate::PromptSource) hands it to the person's viewer.

use agon_core::{Decision, Game, Player};

/// A question to a person: decisions on one state.
#[derive(Clone, Debug)]
pub struct Prompt<G: Game> {
    /// The number of the question in the match.
    pub number: u64,
    /// The state.
    pub game: G,
    /// Steps before it.
    pub step: u64,
    /// The player whose decisions these are.
    pub player: Player,
    /// The decisions, in order.
    pub decisions: Vec<Decision>,
}
