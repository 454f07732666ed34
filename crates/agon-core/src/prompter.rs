//! The interface between a person's bot and the screen at which the person is asked.
//!
//! The host of people (`agon-bots`) calls a [`Prompter`], and the viewer (`agon-view`) implements
//! it. So the host needs no screen.

use std::time::Duration;

use crate::{Decision, Game, Player};

/// Asks a person for the answers to decisions.
pub trait Prompter<G: Game> {
    /// Starts a match: forgets the orders of an earlier one.
    fn begin_anew(&self);

    /// Asks, and waits for the answers, at most for `limit`.
    fn ask(
        &self,
        game: &G,
        step: u64,
        player: Player,
        decisions: &[Decision],
        limit: Option<Duration>,
    ) -> PromptOutcome<G::Answer>;
}

/// The outcome of a question to a person.
#[derive(Clone, Debug, PartialEq)]
pub enum PromptOutcome<A> {
    /// An answer per decision.
    Answers(Vec<A>),
    /// The person took too long.
    TooLate,
    /// The person has left.
    Left,
}
