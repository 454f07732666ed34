//! A match before and after it is played.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::VersionId;

/// A match to play.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pairing {
    /// The number of the match.
    pub number: u64,
    /// The version whose turn it was.
    pub subject: VersionId,
    /// The players in the order of their seats, the subject among them.
    pub players: Vec<VersionId>,
}

/// A match that was played to its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Played {
    /// The players in the order of their seats, as in [`Pairing::players`].
    pub players: Vec<VersionId>,
    /// The place of each player, as in [`agon_rating::Record::places`]: the smallest is the best.
    pub places: Vec<u32>,
    /// The duration of the match, in microseconds.
    pub wall_us: u64,
    /// The time that each player thought, in microseconds; all 0 if nobody measured it.
    pub thinking_us: Vec<u64>,
}

/// The reason why a ladder refuses a result.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LadderError {
    /// A result without two players.
    #[error("a result has {0} players: give at least two")]
    Few(usize),
    /// Lists of different lengths.
    #[error("a result has {players} players, but {places} places and {thinking} thinking times")]
    Lengths {
        /// The number of players.
        players: usize,
        /// The number of places.
        places: usize,
        /// The number of thinking times.
        thinking: usize,
    },
    /// A player with two seats.
    #[error("a result names version {0} twice")]
    Twice(VersionId),
}

impl Played {
    /// Checks a result from outside.
    ///
    /// # Errors
    /// If it has fewer than two players, a player twice, or lists of different lengths.
    pub fn check(&self) -> Result<(), LadderError> {
        let players = self.players.len();
        if players < 2 {
            return Err(LadderError::Few(players));
        }
        let places = self.places.len();
        let thinking = self.thinking_us.len();
        if places != players || thinking != players {
            return Err(LadderError::Lengths { players, places, thinking });
        }
        let mut sorted = self.players.clone();
        sorted.sort_unstable();
        let twice = sorted.windows(2).find(|two| two[0] == two[1]);
        twice.map_or(Ok(()), |two| Err(LadderError::Twice(two[0])))
    }

    /// Returns each player's share of the duration: in proportion to its thinking time.
    ///
    /// If nobody thought, all have the same share.
    pub(crate) fn shares(&self) -> Vec<u64> {
        let sum: u128 = self.thinking_us.iter().map(|&us| u128::from(us)).sum();
        let wall = u128::from(self.wall_us);
        let share = |&us: &u64| match sum {
            0 => (wall / self.thinking_us.len() as u128) as u64,
            // At most `wall`, because no player thought more than all of them.
            _ => (wall * u128::from(us) / sum) as u64,
        };
        self.thinking_us.iter().map(share).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn played(wall_us: u64, thinking_us: &[u64]) -> Played {
        let players = (0..thinking_us.len() as u64).map(VersionId).collect();
        let places = vec![1; thinking_us.len()];
        Played { players, places, wall_us, thinking_us: thinking_us.to_vec() }
    }

    #[test]
    fn shares_follow_thinking_times() {
        assert_eq!(played(1_000, &[10, 30]).shares(), [250, 750]);
        assert_eq!(played(1_000, &[0, 0]).shares(), [500, 500]);
        let huge = played(u64::MAX, &[u64::MAX, u64::MAX]).shares();
        assert_eq!(huge, [u64::MAX / 2, u64::MAX / 2]);
    }

    #[test]
    fn wrong_results_are_refused() {
        assert_eq!(played(1, &[0]).check(), Err(LadderError::Few(1)));
        let mut twice = played(1, &[0, 0]);
        assert_eq!(twice.check(), Ok(()));
        twice.players[1] = twice.players[0];
        assert_eq!(twice.check(), Err(LadderError::Twice(VersionId(0))));
        let short = Played { places: vec![1], ..played(1, &[0, 0]) };
        assert!(short.check().unwrap_err().to_string().contains("2 players, but 1 places"));
    }
}
