//! One scripted answer in a scenario.

use agon_core::Player;
use serde::Deserialize;

/// An answer to a decision.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry<A> {
    /// The player who decides.
    pub player: Player,
    /// The unit. It may be left out if the player has only one decision.
    pub unit: Option<u32>,
    /// The answer.
    pub answer: A,
}
