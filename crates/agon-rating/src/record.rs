//! The result of one match: what all ratings and most tests are computed from.

use thiserror::Error;

/// One match: its players and their places.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// Numbers of the players, at least two, each once. The caller gives them their meaning.
    pub players: Vec<usize>,
    /// The place of each player, as in [`agon_core::PlayerStanding::place`].
    ///
    /// The smallest is the best, and equal places are a tie. Only the order counts, so 1, 2, 2, 4
    /// and 1, 2, 2, 3 mean the same.
    pub places: Vec<u32>,
    /// The weight of the match: more than 0, usually 1.
    pub weight: f64,
    /// The cluster of the match; `None` if it stands alone.
    ///
    /// Matches with the same number depend on each other, such as the two on one seed with
    /// exchanged seats.
    pub cluster: Option<u64>,
}

/// Players' numbers are indices into lists, so an arbitrary one could use up all memory.
pub(crate) const MAX_PLAYERS: usize = 1_000_000;

impl Record {
    /// Makes a match of weight 1 without a cluster.
    pub fn new(players: &[usize], places: &[u32]) -> Record {
        Record { players: players.to_vec(), places: places.to_vec(), weight: 1.0, cluster: None }
    }

    /// Makes a match that `winner` wins against `loser`.
    pub fn win(winner: usize, loser: usize) -> Record {
        Record::new(&[winner, loser], &[1, 2])
    }

    /// Makes a tie of two players.
    pub fn tie(one: usize, other: usize) -> Record {
        Record::new(&[one, other], &[1, 1])
    }

    /// Returns the same match, counted `weight` times.
    pub fn weighted(self, weight: f64) -> Record {
        Record { weight, ..self }
    }

    /// Returns the same match as a member of `cluster`.
    pub fn clustered(self, cluster: u64) -> Record {
        Record { cluster: Some(cluster), ..self }
    }

    /// Returns the players from the best to the worst place.
    ///
    /// Those who tie are together, in order of their numbers.
    pub fn tiers(&self) -> Vec<Vec<usize>> {
        let mut order: Vec<(u32, usize)> =
            self.places.iter().copied().zip(self.players.iter().copied()).collect();
        order.sort_unstable();
        order
            .chunk_by(|one, other| one.0 == other.0)
            .map(|tier| tier.iter().map(|entry| entry.1).collect())
            .collect()
    }

    /// Returns the share of the opponents that `player` left behind; ties count half.
    ///
    /// It is 1 for a win and 0 for the last place. `None` if the player did not take part.
    pub fn score(&self, player: usize) -> Option<f64> {
        let place = self.places[self.players.iter().position(|&other| other == player)?];
        let worse = self.places.iter().filter(|&&other| other > place).count() as f64;
        let equal = self.places.iter().filter(|&&other| other == place).count() as f64 - 1.0;
        Some((worse + equal / 2.0) / (self.players.len() as f64 - 1.0))
    }

    /// Checks a record from outside; `number` names it in the error.
    pub fn check(&self, number: usize) -> Result<(), RatingError> {
        let problem = if self.players.len() < 2 {
            "has fewer than two players".to_owned()
        } else if self.players.len() != self.places.len() {
            format!("has {} players but {} places", self.players.len(), self.places.len())
        } else if !(self.weight > 0.0 && self.weight.is_finite()) {
            format!("has the weight {}: give a number above 0", self.weight)
        } else if let Some(player) = self.players.iter().find(|&&player| player >= MAX_PLAYERS) {
            format!("names player {player}: number players from 0, up to {}", MAX_PLAYERS - 1)
        } else {
            let mut sorted = self.players.clone();
            sorted.sort_unstable();
            match sorted.windows(2).find(|two| two[0] == two[1]) {
                Some(two) => format!("names player {} twice", two[0]),
                None => return Ok(()),
            }
        };
        Err(RatingError::Record { number, problem })
    }
}

/// The reason why there is no rating or no test.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum RatingError {
    /// An impossible match.
    #[error("match {number} {problem}")]
    Record {
        /// Its number, from 0.
        number: usize,
        /// The rest of the sentence.
        problem: String,
    },
    /// An option out of its range.
    #[error("{name} is {value}: {remedy}")]
    Option {
        /// Its name.
        name: &'static str,
        /// Its value.
        value: f64,
        /// The remedy.
        remedy: &'static str,
    },
    /// The fit stopped early. No known data cause this.
    #[error("the fit of {players} players did not converge within {steps} steps")]
    Stuck {
        /// The number of players in the group.
        players: usize,
        /// The number of Newton steps done.
        steps: usize,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiers_follow_places_not_seats() {
        let record = Record::new(&[7, 3, 9, 1], &[2, 4, 2, 1]);
        assert_eq!(record.tiers(), [vec![1], vec![7, 9], vec![3]]);
        assert_eq!([1, 9, 3].map(|player| record.score(player)), [Some(1.0), Some(0.5), Some(0.0)]);
        assert_eq!(record.score(0), None);
    }

    #[test]
    fn what_is_wrong_with_a_record_is_said() {
        let message = |record: Record| record.check(4).expect_err("it is wrong").to_string();
        assert_eq!(message(Record::new(&[1], &[1])), "match 4 has fewer than two players");
        assert_eq!(message(Record::new(&[1, 2], &[1])), "match 4 has 2 players but 1 places");
        assert_eq!(message(Record::new(&[1, 2, 1], &[1, 2, 3])), "match 4 names player 1 twice");
        assert!(message(Record::win(0, 1).weighted(0.0)).contains("the weight 0"));
        assert!(message(Record::win(0, 1).weighted(f64::NAN)).contains("above 0"));
        assert!(
            message(Record::win(0, usize::MAX)).ends_with("number players from 0, up to 999999")
        );
        Record::win(0, 1).check(0).expect("a plain match is fine");
    }
}
