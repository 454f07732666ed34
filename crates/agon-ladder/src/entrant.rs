//! What a ladder knows of a version of a bot, as plain data.

use std::fmt;

use agon_rating::Skill;
use serde::{Deserialize, Serialize};

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

impl Entrant {
    /// Makes a version of unknown strength, without a match.
    pub fn new(id: VersionId, owner: u64) -> Entrant {
        let skill = Skill::default();
        Entrant { id, owner, skill, matches: 0, pass: 0, mean_us: 0, seats: Vec::new() }
    }

    /// Makes the next version of the same bot, without a match.
    ///
    /// It starts with the skill and cost of this one, but the skill is less certain.
    pub fn successor(&self, id: VersionId) -> Entrant {
        let sigma = libm::hypot(self.skill.sigma, CHANGE).min(Skill::default().sigma);
        let skill = Skill { mu: self.skill.mu, sigma };
        Entrant { skill, mean_us: self.mean_us, ..Entrant::new(id, self.owner) }
    }

    /// Returns whether the version never played.
    pub fn is_fresh(&self) -> bool {
        self.matches == 0 && self.pass == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_successor_is_less_certain_and_has_no_matches() {
        let skill = Skill { mu: 31.0, sigma: 1.0 };
        let old = Entrant { skill, matches: 90, pass: 7, ..Entrant::new(VersionId(1), 5) };
        let new = old.successor(VersionId(2));
        assert_eq!((new.id, new.owner, new.matches, new.pass), (VersionId(2), 5, 0, 0));
        assert!(new.skill.mu == 31.0 && (5.0..7.0).contains(&new.skill.sigma), "{new:?}");
        let again = Entrant { skill: Skill::default(), ..old }.successor(VersionId(3));
        assert_eq!(again.skill, Skill::default());
    }
}
