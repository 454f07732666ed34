//! What a ladder knows of a version of a bot and of a match, as plain data.

use std::fmt;

use agon_rating::Skill;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A version of a bot, as a random number that the server chose.
///
/// Random opponents are drawn by these numbers. They work best if the numbers are spread evenly,
/// as random numbers or as 1, 2, 3, ….
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct VersionId(pub u64);

impl fmt::Display for VersionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// Everything that the ladder knows of a version. A database keeps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entrant {
    /// The version.
    pub id: VersionId,
    /// Its owner. Versions of one owner never meet; each built-in bot has an owner of its own.
    pub owner: u64,
    /// The belief about its strength.
    pub skill: Skill,
    /// Matches that were played to their end.
    pub matches: u64,
    /// Virtual time in microseconds: what it paid for its matches, divided by its weight.
    ///
    /// The version with the least plays next. 0 before the first match.
    pub pass: u64,
    /// Moving mean of what it pays for a match, in microseconds; 0 if unknown.
    pub mean_us: u64,
    /// How often it had each seat, the first seat first.
    pub seats: Vec<u64>,
}

/// The standard deviation that a new version adds to the strength of the one before.
///
/// It is worth 174 Elo points.
const CHANGE: f64 = Skill::NAT;

/// Returns the skill with which the next version of a bot starts: that of this one, less certain.
pub fn next_skill(of: Skill) -> Skill {
    let sigma = libm::hypot(of.sigma, CHANGE).min(Skill::default().sigma);
    Skill { mu: of.mu, sigma }
}

impl Entrant {
    /// Makes a version of unknown strength, without a match.
    pub fn new(id: VersionId, owner: u64) -> Entrant {
        let skill = Skill::default();
        Entrant { id, owner, skill, matches: 0, pass: 0, mean_us: 0, seats: Vec::new() }
    }

    /// Returns whether the version never played.
    pub fn is_fresh(&self) -> bool {
        self.matches == 0 && self.pass == 0
    }
}

/// A match that was played to its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Played {
    /// The players in the order of their seats.
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
#[expect(missing_docs, reason = "each has its text")]
pub enum LadderError {
    #[error("a result has {0} players: give at least two")]
    Few(usize),
    #[error("a result has {players} players, but {places} places and {thinking} thinking times")]
    Lengths { players: usize, places: usize, thinking: usize },
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

    #[test]
    fn the_skill_of_a_next_version_is_less_certain() {
        let next = next_skill(Skill { mu: 31.0, sigma: 1.0 });
        assert!(next.mu == 31.0 && (5.0..7.0).contains(&next.sigma), "{next:?}");
        assert_eq!(next_skill(Skill::default()), Skill::default());
    }

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
