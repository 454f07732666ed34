//! Decides who plays whom in a duel of a tuning, and in which seats.
//!
//! The two versions of the tuned bot play each other, or both play the same matches against other
//! bots.

use std::sync::Arc;

use agon_arena::BotEntry;

/// The opponents of both versions in a duel.
pub struct Field {
    /// The bots of `--against`; none if the versions play each other.
    pub others: Vec<Arc<BotEntry>>,
    /// Players of a match.
    pub players: usize,
}

/// The versions of a duel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    Plus,
    Minus,
}

/// Who sits in a seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seat {
    Version(Version),
    /// One of the others, by number.
    Other(usize),
}

impl Field {
    /// Returns the number of matches of a duel: each version has each seat once, on one seed.
    pub fn matches(&self) -> u64 {
        if self.others.is_empty() { 2 } else { 2 * self.players as u64 }
    }

    /// Returns the seats of match `number` of a duel.
    pub fn seats(&self, duel: u64, number: u64) -> Vec<Seat> {
        use Version::{Minus, Plus};
        if self.others.is_empty() {
            let versions = if number == 0 { [Plus, Minus] } else { [Minus, Plus] };
            return versions.map(Seat::Version).to_vec();
        }
        let version = number as usize / self.players;
        let seat = number as usize % self.players;
        let version = if version == 0 { Plus } else { Minus };
        // Each duel takes the next ones, so that all play equally often.
        let rest = self.players - 1;
        let first = (duel % self.others.len() as u64) as usize * rest;
        let mut seats = vec![Seat::Version(version)];
        seats.extend((first..first + rest).map(|number| Seat::Other(number % self.others.len())));
        seats.rotate_right(seat);
        seats
    }

    /// Returns the points of `plus` minus those of `minus`, per match, from -1 to 1.
    ///
    /// The points of a version are the share of opponents that it left behind. `places` has the
    /// places of each match of the duel, in order of seats.
    pub fn difference(&self, duel: u64, places: &[Vec<u32>]) -> f64 {
        let mut points = [0.0; 2];
        let mut counts = [0.0; 2];
        for (number, places) in places.iter().enumerate() {
            for (seat, &place) in self.seats(duel, number as u64).iter().zip(places) {
                let Seat::Version(version) = seat else { continue };
                let worse = places.iter().filter(|&&other| other > place).count() as f64;
                let equal = places.iter().filter(|&&other| other == place).count() as f64 - 1.0;
                points[*version as usize] += (worse + equal / 2.0) / (places.len() as f64 - 1.0);
                counts[*version as usize] += 1.0;
            }
        }
        points[0] / counts[0] - points[1] / counts[1]
    }
}

#[cfg(test)]
mod tests {
    use agon_bots::HostOptions;

    use super::*;
    use crate::series::entry;

    fn field(others: &[&str], players: usize) -> Field {
        let others = others
            .iter()
            .map(|text| entry(text, None, &HostOptions::default(), &|_| {}).unwrap())
            .collect();
        Field { others, players }
    }

    #[test]
    fn versions_meet_once_in_each_seat() {
        let own = field(&[], 2);
        assert_eq!(own.matches(), 2);
        assert_eq!(own.seats(5, 0), [Seat::Version(Version::Plus), Seat::Version(Version::Minus)]);
        assert_eq!(own.seats(5, 1), [Seat::Version(Version::Minus), Seat::Version(Version::Plus)]);
        assert_eq!(own.difference(5, &[vec![1, 2], vec![2, 1]]), 1.0);
        assert_eq!(own.difference(5, &[vec![1, 2], vec![1, 2]]), 0.0);
        assert_eq!(own.difference(5, &[vec![2, 1], vec![1, 1]]), -0.5);
    }

    #[test]
    fn both_play_the_same_others_from_every_seat() {
        let pool = field(&["builtin:nasty", "builtin:brood", "builtin:mindless"], 3);
        assert_eq!(pool.matches(), 6);
        for number in 0..3 {
            let mut plus = pool.seats(1, number);
            let minus = pool.seats(1, number + 3);
            assert_eq!(plus[number as usize], Seat::Version(Version::Plus));
            plus[number as usize] = Seat::Version(Version::Minus);
            assert_eq!(plus, minus);
        }
        let others = |duel| {
            let seats = pool.seats(duel, 0);
            seats
                .into_iter()
                .filter_map(|seat| if let Seat::Other(n) = seat { Some(n) } else { None })
                .collect()
        };
        let duels: [Vec<usize>; 3] = [0, 1, 2].map(others);
        assert_eq!(duels, [vec![0, 1], vec![2, 0], vec![1, 2]]);
        let first = vec![vec![1, 2, 3], vec![2, 1, 3], vec![2, 3, 1]];
        let last = vec![vec![3, 2, 1], vec![1, 3, 2], vec![1, 2, 3]];
        assert_eq!(pool.difference(1, &[first, last].concat()), 1.0);
    }
}
