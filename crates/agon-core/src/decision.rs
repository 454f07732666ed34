//! Players, and the decisions that they make for their units.
//!
//! A game lists the decisions that it wants now, and the referee asks each player's bot for its
//! own.

use std::{fmt, ops::Range};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A player's number in a match, from 0. Names belong to the match, not to the game.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[serde(transparent)]
pub struct Player(pub u16);

impl Player {
    /// Returns the index of this player in arrays with one entry per player.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    /// Returns the player with this index.
    ///
    /// # Panics
    /// If the index does not fit 16 bits; no game has that many players.
    pub fn from_index(index: usize) -> Player {
        Player(u16::try_from(index).expect("a player's index fits 16 bits"))
    }

    /// Iterates over all players of a match of `players`.
    pub fn all(players: usize) -> impl Iterator<Item = Player> + Clone {
        (0..players).map(Player::from_index)
    }
}

impl fmt::Display for Player {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// One question of a batch: a player has to decide for one of its units.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
pub struct Decision {
    /// Who decides.
    pub player: Player,
    /// The unit, numbered as the game likes (on boards: the cell's index); 0 where a player has but
    /// one.
    pub unit: u32,
}

impl Decision {
    /// Makes a decision of `player` for `unit`.
    pub fn new(player: Player, unit: u32) -> Decision {
        Decision { player, unit }
    }
}

/// Splits a sorted batch into the part of each player: the range of its questions and answers.
pub fn runs_by_player(decisions: &[Decision]) -> impl Iterator<Item = (Player, Range<usize>)> + '_ {
    let mut start = 0;
    decisions.chunk_by(|a, b| a.player == b.player).map(move |run| {
        let range = start..start + run.len();
        start = range.end;
        (run[0].player, range)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_cover_the_batch_in_order() {
        let batch: Vec<_> =
            [(0, 3), (0, 4), (2, 0)].map(|(p, u)| Decision::new(Player(p), u)).into();
        let runs: Vec<_> = runs_by_player(&batch).collect();
        assert_eq!(runs, [(Player(0), 0..2), (Player(2), 2..3)]);
        assert_eq!(runs_by_player(&[]).count(), 0);
    }
}
