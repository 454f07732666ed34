//! A row of a table: rating, interval, rank and counts of one player.

use serde::{Deserialize, Serialize};

use crate::{Footing, Record};

/// A table's facts about one player.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The player's number.
    pub player: usize,
    /// The player's group, an index into [`Table::groups`](crate::Table::groups).
    pub group: usize,
    /// The rank within the group, from 1.
    pub rank: usize,
    /// Counts of the matches, without any model.
    #[serde(flatten)]
    pub tally: Tally,
    /// The rating in Elo points.
    ///
    /// Near equality a difference means the expected score of Elo's formula
    /// ([`score_of_elo`](crate::score_of_elo)), where ties count half.
    pub elo: f64,
    /// Lower end of the rating's interval.
    pub low: f64,
    /// Upper end of the rating's interval.
    pub high: f64,
    /// How firmly the results hold the rating.
    ///
    /// If it is not firm, the prior decides how far away rating and interval end.
    pub footing: Footing,
    /// The best rank within the interval's confidence; `rank` if no rankings were drawn.
    pub rank_low: usize,
    /// The worst rank within the interval's confidence; `rank` if no rankings were drawn.
    pub rank_high: usize,
    /// The probability of each rank of the group, the first rank first.
    ///
    /// Empty if no rankings were drawn or the group is larger than
    /// [`Options::matrices`](crate::Options::matrices).
    pub rank_probabilities: Vec<f64>,
}

/// Counts and means of one player's matches.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tally {
    /// The number of matches.
    pub matches: u64,
    /// Matches in which the player alone had the best place.
    pub wins: u64,
    /// Matches in which the player shared the best place.
    pub ties: u64,
    /// All other matches.
    pub losses: u64,
    /// Mean place. Equal places count as their mean: two winners of three have place 1.5.
    pub mean_place: f64,
    /// Mean share of the opponents left behind, with half for ties: 0.5 is as good as all others.
    pub score: f64,
}

/// Returns the tallies of the players 0 to `players` - 1, without weights of matches.
///
/// [`Counts`](crate::Counts) count how often a match happened.
///
/// # Panics
/// If a record is wrong ([`Record::check`]) or names a player beyond `players`.
pub fn tallies(players: usize, records: &[Record]) -> Vec<Tally> {
    let mut sums = Sums::new(players);
    for record in records {
        sums.add(record.players.iter().copied(), &record.places, 1);
    }
    sums.into_tallies()
}

/// Tallies under way: the means are still sums.
pub(crate) struct Sums {
    tallies: Vec<Tally>,
    /// The share of opponents that each player did not leave behind.
    behind: Vec<f64>,
}

impl Sums {
    /// Starts without a match.
    pub(crate) fn new(players: usize) -> Sums {
        Sums { tallies: vec![Tally::default(); players], behind: vec![0.0; players] }
    }

    /// Adds a match that happened `times`.
    pub(crate) fn add<R: Copy + Ord>(
        &mut self,
        players: impl ExactSizeIterator<Item = usize>,
        places: &[R],
        times: u64,
    ) {
        let opponents = players.len() - 1;
        for (player, place) in players.zip(places) {
            let better = places.iter().filter(|&other| other < place).count();
            let equal = places.iter().filter(|&other| other == place).count() - 1;
            let tally = &mut self.tallies[player];
            tally.matches += times;
            match (better, equal) {
                (0, 0) => tally.wins += times,
                (0, _) => tally.ties += times,
                _ => tally.losses += times,
            }
            let passed = better as f64 + equal as f64 / 2.0;
            tally.mean_place += times as f64 * passed;
            self.behind[player] += times as f64 * (passed / opponents as f64);
        }
    }

    /// Turns sums into means.
    pub(crate) fn into_tallies(self) -> Vec<Tally> {
        let Sums { mut tallies, behind } = self;
        for (tally, behind) in tallies.iter_mut().zip(behind) {
            if tally.matches > 0 {
                tally.mean_place = 1.0 + tally.mean_place / tally.matches as f64;
                tally.score = 1.0 - behind / tally.matches as f64;
            }
        }
        tallies
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted() {
        let records = [Record::new(&[0, 1, 2], &[1, 1, 3]), Record::win(0, 2)];
        let tallies = tallies(4, &records);
        let first =
            Tally { matches: 2, wins: 1, ties: 1, losses: 0, mean_place: 1.25, score: 0.875 };
        assert_eq!(tallies[0], first);
        assert_eq!((tallies[2].losses, tallies[2].mean_place, tallies[2].score), (2, 2.5, 0.0));
        assert_eq!(tallies[3], Tally::default());
    }
}
