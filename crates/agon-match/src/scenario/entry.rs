//! One scripted answer in a scenario.

use agon_core::Player;
use serde::Deserialize;

/// An answer to a decision.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry<A> {
    /// Who decides.
    pub player: Player,
    /// For which unit; may be left out where the player has but one decision.
    pub unit: Option<u32>,
    /// The answer.
    pub answer: A,
}
