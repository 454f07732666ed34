//! Decides which matches a comparison plays on each seed, and who sits where in them.
//!
//! Versions exchange seats, so that neither the luck of a seed nor a seat decides.

use agon_core::{Purpose, Seed};
use schemars::JsonSchema;
use serde::Serialize;

/// The number of the new version among the bots of a comparison.
pub const NEW: usize = 0;
/// The number of the old version; all others come after it.
pub const OLD: usize = 1;

/// The matches that are played on each seed, so that neither luck of the draw nor a seat decides.
/// Bots are numbers: [`NEW`], [`OLD`], and from 2 the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Design {
    /// New against old, in both seats.
    Mirror,
    /// New among copies of old, once in each seat.
    Field {
        /// How many play in a match.
        players: usize,
    },
    /// New against a group that is drawn from the pool, once in each seat, and old instead of new.
    Pool {
        /// How many play in a match.
        players: usize,
        /// How many others there are.
        pool: usize,
    },
}

impl Design {
    /// Chooses the design for `players` in a match and `pool` other bots. Without others the
    /// versions play each other.
    pub fn new(players: usize, pool: usize) -> Design {
        match (players, pool) {
            (2, 0) => Design::Mirror,
            (_, 0) => Design::Field { players },
            _ => Design::Pool { players, pool },
        }
    }

    /// Returns how many copies of the old version play beside itself.
    pub fn copies(self) -> usize {
        match self {
            Design::Field { players } => players - 2,
            Design::Mirror | Design::Pool { .. } => 0,
        }
    }

    /// Returns how many play in a match.
    pub fn players(self) -> usize {
        match self {
            Design::Mirror => 2,
            Design::Field { players } | Design::Pool { players, .. } => players,
        }
    }

    /// Returns how many matches each seed has.
    pub fn matches_each(self) -> u64 {
        let matches = match self {
            Design::Mirror => 2,
            Design::Field { players } => players,
            Design::Pool { players, .. } => 2 * players,
        };
        matches as u64
    }

    /// Returns the bots of each match of a seed, in order of seats.
    ///
    /// Each seed draws its own group from the pool, whatever earlier seeds drew. So all seeds have
    /// the same expected difference, the mean over the pool, which the test is about. If the pool
    /// took turns, seeds against strong opponents would have another expected difference than the
    /// rest.
    pub fn seatings(self, seed: Seed) -> Vec<Vec<usize>> {
        match self {
            Design::Mirror => rotations(&[NEW, OLD]),
            Design::Field { players } => rotations(&(0..players).collect::<Vec<_>>()),
            Design::Pool { players, pool } => {
                let mut others: Vec<usize> = (2..2 + pool).collect();
                seed.stream(Purpose::Sample, 0).shuffle(&mut others);
                let group = |version: usize| {
                    let others = others.iter().take(players - 1).copied();
                    rotations(&std::iter::once(version).chain(others).collect::<Vec<_>>())
                };
                group(NEW).into_iter().zip(group(OLD)).flat_map(|(new, old)| [new, old]).collect()
            }
        }
    }
}

/// Returns all rotations; the first has the members in their own order.
fn rotations(members: &[usize]) -> Vec<Vec<usize>> {
    let turned = |by: usize| {
        let mut seats = members.to_vec();
        seats.rotate_right(by);
        seats
    };
    (0..members.len()).map(turned).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn versions_exchange_seats() {
        assert_eq!(Design::new(2, 0).seatings(Seed(7)), [[NEW, OLD], [OLD, NEW]]);
        let field = Design::new(3, 0);
        assert_eq!(field.seatings(Seed(7)), [[0, 1, 2], [2, 0, 1], [1, 2, 0]]);
        assert_eq!((field.matches_each(), field.copies()), (3, 1));
    }

    #[test]
    fn both_versions_meet_the_same_groups_in_the_same_seats() {
        let design = Design::new(4, 6);
        for seed in 0..50 {
            let seatings = design.seatings(Seed(seed));
            assert_eq!(seatings.len() as u64, design.matches_each());
            for (at, two) in seatings.chunks(2).enumerate() {
                assert_eq!(two[0].iter().position(|&bot| bot == NEW), Some(at));
                let replaced: Vec<usize> =
                    two[0].iter().map(|&bot| if bot == NEW { OLD } else { bot }).collect();
                assert_eq!(replaced, two[1]);
            }
        }
    }

    #[test]
    fn all_groups_of_a_pool_are_drawn_equally_often() {
        let mut counts: BTreeMap<Vec<usize>, u32> = BTreeMap::new();
        for number in 0..6_000 {
            let first = &Design::new(3, 4).seatings(Seed(1).derive(number))[0];
            let mut group = first[1..].to_vec();
            group.sort_unstable();
            *counts.entry(group).or_default() += 1;
        }
        assert_eq!(counts.len(), 6);
        assert!(counts.values().all(|count| (850..1_150).contains(count)), "{counts:?}");
    }
}
