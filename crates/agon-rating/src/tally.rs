//! Counts and means of a player's matches, without any model, for the rows of a table.

use serde::{Deserialize, Serialize};

use crate::Record;

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
/// # Panics
/// If a record is wrong ([`Record::check`]) or names a player beyond `players`.
pub fn tallies(players: usize, records: &[Record]) -> Vec<Tally> {
    let mut tallies = vec![Tally::default(); players];
    let mut behind = vec![0.0; players];
    for record in records {
        let opponents = record.players.len() - 1;
        for (&player, place) in record.players.iter().zip(&record.places) {
            let better = record.places.iter().filter(|&other| other < place).count();
            let equal = record.places.iter().filter(|&other| other == place).count() - 1;
            let tally = &mut tallies[player];
            tally.matches += 1;
            match (better, equal) {
                (0, 0) => tally.wins += 1,
                (0, _) => tally.ties += 1,
                _ => tally.losses += 1,
            }
            let passed = better as f64 + equal as f64 / 2.0;
            tally.mean_place += passed;
            behind[player] += passed / opponents as f64;
        }
    }
    for (tally, behind) in tallies.iter_mut().zip(behind) {
        if tally.matches > 0 {
            tally.mean_place = 1.0 + tally.mean_place / tally.matches as f64;
            tally.score = 1.0 - behind / tally.matches as f64;
        }
    }
    tallies
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
