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
    /// The own time of each player, in microseconds: that for which the arena waited for it, or its
    /// CPU time if that is more. All 0 if nobody measured it.
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

    /// Returns what each player pays: its own time, and an equal part of what is left, such as the
    /// start of the bots and the work of the arena.
    ///
    /// So nobody pays for the thinking of others. If players thought at the same time, all
    /// together pay more than the duration.
    pub(crate) fn shares(&self) -> Vec<u64> {
        let own = self.thinking_us.iter().fold(0, |sum: u64, &us| sum.saturating_add(us));
        let left = self.wall_us.saturating_sub(own) / (self.thinking_us.len() as u64).max(1);
        self.thinking_us.iter().map(|us| us.saturating_add(left)).collect()
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
    fn each_player_pays_its_own_time_and_the_rest_is_divided() {
        assert_eq!(played(1_000, &[10, 30]).shares(), [490, 510]);
        assert_eq!(played(1_000, &[0, 0]).shares(), [500, 500]);
        // They thought at the same time.
        assert_eq!(played(1_000, &[10, 1_000]).shares(), [10, 1_000]);
        let huge = played(u64::MAX, &[u64::MAX, u64::MAX]).shares();
        assert_eq!(huge, [u64::MAX, u64::MAX]);
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
