//! The results of a tournament so far, in the order of the schedule.
//!
//! Formats choose the next pairings by them, and make their tables from them.

use std::collections::BTreeMap;

use agon_rating::Record;
use serde::{Deserialize, Serialize};

use crate::{Entrant, Pairing, PairingId};

/// How a match ended, in order of seats.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// Places: 1 for the best, equal ones share a place.
    pub places: Vec<u32>,
    /// The game's scores.
    pub scores: Vec<i64>,
    /// Whether it was not played, because a bot forfeited it. Points count, but it tells nothing
    /// of how strong the bots are.
    #[serde(default)]
    pub forfeited: bool,
}

impl Outcome {
    /// Makes the outcome of a match that was played.
    pub fn new(places: Vec<u32>, scores: Vec<i64>) -> Outcome {
        Outcome { places, scores, forfeited: false }
    }

    /// Returns the half points of each seat: 2 for each opponent left behind, and 1 for each one
    /// with the same place. With two seats a win is 2, a tie 1, a loss 0.
    pub fn half_points(&self) -> impl Iterator<Item = u32> + '_ {
        let against = |own: u32, other: u32| match own.cmp(&other) {
            std::cmp::Ordering::Less => 2,
            std::cmp::Ordering::Equal => 1,
            std::cmp::Ordering::Greater => 0,
        };
        // Minus 1, since each seat is level with itself.
        self.places
            .iter()
            .map(move |&own| self.places.iter().map(|&other| against(own, other)).sum::<u32>() - 1)
    }
}

/// A pairing and as many of its matches as are over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Played {
    /// The pairing.
    pub pairing: Pairing,
    /// Numbers of matches and how they ended, in order of numbers.
    pub outcomes: Vec<(u32, Outcome)>,
}

impl Played {
    /// Returns the half points of the entrants in these matches, in their order in the pairing.
    pub fn half_points(&self) -> Vec<u32> {
        let mut points = vec![0; self.pairing.entrants.len()];
        for (number, outcome) in &self.outcomes {
            for (seat, gained) in outcome.half_points().enumerate() {
                points[self.member(*number, seat)] += gained;
            }
        }
        points
    }

    /// Returns the scores of the entrants in these matches, in their order in the pairing.
    pub fn scores(&self) -> Vec<i64> {
        let mut sums = vec![0i64; self.pairing.entrants.len()];
        for (number, outcome) in &self.outcomes {
            for (seat, &score) in outcome.scores.iter().enumerate() {
                let sum = &mut sums[self.member(*number, seat)];
                *sum = sum.saturating_add(score);
            }
        }
        sums
    }

    /// Returns those that were played in the form that ratings need. `pairing` is the number of the
    /// pairing among all.
    pub fn records(&self, pairing: u64) -> impl Iterator<Item = Record> + '_ {
        let played = self.outcomes.iter().filter(|(_, outcome)| !outcome.forfeited);
        played.map(move |(number, outcome)| {
            let players: Vec<usize> =
                self.pairing.seats(*number).iter().map(|seat| seat.index()).collect();
            Record::new(&players, &outcome.places)
                .clustered(pairing << 32 | u64::from(self.pairing.board(*number)))
        })
    }

    /// Returns which entrant of the pairing had a seat: the inverse of [`Pairing::seats`].
    fn member(&self, number: u32, seat: usize) -> usize {
        let seats = self.pairing.entrants.len();
        (seat + number as usize % seats) % seats
    }
}

/// Waves of pairings, oldest first. All but the last one are complete.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    /// The waves.
    pub waves: Vec<Vec<Played>>,
}

/// All matches under one pairing id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tally {
    /// The pairing as it was first made.
    pub pairing: Pairing,
    /// Half points, in order of its entrants.
    pub points: Vec<u32>,
    /// Completed matches.
    pub played: u32,
    /// Scheduled matches.
    pub called: u32,
}

impl Tally {
    /// Returns whether all scheduled matches are over.
    pub fn is_complete(&self) -> bool {
        self.played == self.called
    }
}

impl History {
    /// Returns all pairings in order.
    pub fn all(&self) -> impl Iterator<Item = &Played> {
        self.waves.iter().flatten()
    }

    /// Returns the results by pairing. Further matches after ties are added to the first ones.
    pub fn tallies(&self) -> BTreeMap<PairingId, Tally> {
        let mut tallies = BTreeMap::new();
        for played in self.all() {
            let tally = tallies.entry(played.pairing.id).or_insert_with(|| Tally {
                pairing: played.pairing.clone(),
                points: vec![0; played.pairing.entrants.len()],
                played: 0,
                called: 0,
            });
            for (sum, points) in tally.points.iter_mut().zip(played.half_points()) {
                *sum += points;
            }
            tally.played += played.outcomes.len() as u32;
            tally.called += played.pairing.count;
        }
        tallies
    }

    /// Returns all completed matches in the form that ratings need. Players are numbers of
    /// entrants, and matches on the same seed depend on each other.
    pub fn records(&self) -> Vec<Record> {
        (0..).zip(self.all()).flat_map(|(number, played)| played.records(number)).collect()
    }

    /// Returns how many matches were scheduled for each of the `entrants`.
    pub fn calls(&self, entrants: usize) -> Vec<u32> {
        let mut calls = vec![0; entrants];
        for Played { pairing, .. } in self.all() {
            for entrant in &pairing.entrants {
                calls[entrant.index()] += pairing.count;
            }
        }
        calls
    }
}

/// Returns all ordered pairs of opponents in a pairing.
pub(crate) fn opponents(entrants: &[Entrant]) -> impl Iterator<Item = (Entrant, Entrant)> + '_ {
    entrants
        .iter()
        .flat_map(move |&a| entrants.iter().filter(move |&&b| b != a).map(move |&b| (a, b)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Games;

    #[test]
    fn points_and_scores_follow_the_entrants_through_the_seats() {
        let games = Games { matches: 3, mirrored: true };
        let pairing = Pairing::new(PairingId::default(), Entrant::all(3), games);
        // Entrant 0 always wins with 10, the others are level with 1.
        let outcomes = (0..3).map(|number| {
            let seats = pairing.seats(number);
            let best = |e: &Entrant| e.0 == 0;
            let places = seats.iter().map(|e| if best(e) { 1 } else { 2 }).collect();
            let scores = seats.iter().map(|e| if best(e) { 10 } else { 1 }).collect();
            (number, Outcome::new(places, scores))
        });
        let played = Played { outcomes: outcomes.collect(), pairing };
        assert_eq!(played.half_points(), [12, 3, 3]);
        assert_eq!(played.scores(), [30, 3, 3]);
    }
}
