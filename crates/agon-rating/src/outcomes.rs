//! Counts of results between two players, for a sequential test.
//!
//! `agon compare` counts its pairs of matches so.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Record;

/// Single matches: the numbers of losses, ties and wins of the tested player, in this order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trinomial(pub [u64; 3]);

/// Mirrored pairs: the numbers of pairs with 0, ½, 1, 1½ and 2 points, in this order.
///
/// A pair is two matches with the same seed and the seats exchanged; the points are those of the
/// tested player. The two matches of a pair depend on each other, pairs do not. A seed that favours
/// a seat does so in both matches. So scores of pairs vary less, and tests end sooner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Pentanomial(pub [u64; 5]);

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Trinomial {}
    impl Sealed for super::Pentanomial {}
}

/// Counts of results that a test can use: [`Trinomial`] or [`Pentanomial`].
pub trait Outcomes: sealed::Sealed {
    /// Returns the count of each score, from 0 to the best in equal steps.
    fn counts(&self) -> &[u64];

    /// Returns the number of matches behind one count: 1 or 2.
    fn matches_each(&self) -> u64;
}

impl Outcomes for Trinomial {
    fn counts(&self) -> &[u64] {
        &self.0
    }

    fn matches_each(&self) -> u64 {
        1
    }
}

impl Outcomes for Pentanomial {
    fn counts(&self) -> &[u64] {
        &self.0
    }

    fn matches_each(&self) -> u64 {
        2
    }
}

impl Trinomial {
    /// Counts the matches that only `one` and `other` play.
    pub fn of(records: &[Record], one: usize, other: usize) -> Trinomial {
        let mut counts = Trinomial::default();
        for points in records.iter().filter_map(|record| points(record, one, other)) {
            counts.0[points] += 1;
        }
        counts
    }
}

impl Pentanomial {
    /// Counts the pairs of `one` and `other`: clusters of two matches of theirs.
    ///
    /// Also returns the number of their matches without a pair, which are left out.
    pub fn of(records: &[Record], one: usize, other: usize) -> (Pentanomial, u64) {
        let mut counts = Pentanomial::default();
        let mut alone = 0;
        let mut clusters: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        for record in records {
            match (points(record, one, other), record.cluster) {
                (Some(points), Some(cluster)) => clusters.entry(cluster).or_default().push(points),
                (Some(_), None) => alone += 1,
                (None, _) => (),
            }
        }
        for points in clusters.values() {
            match points[..] {
                [first, second] => counts.0[first + second] += 1,
                _ => alone += points.len() as u64,
            }
        }
        (counts, alone)
    }
}

/// Returns the half points of `one` in a match against `other` alone: 0, 1 or 2.
fn points(record: &Record, one: usize, other: usize) -> Option<usize> {
    let theirs = record.players.len() == 2 && record.players.contains(&other);
    let score = record.score(one).filter(|_| theirs && one != other)?;
    Some((2.0 * score) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_and_pairs_are_counted() {
        let records = [
            Record::win(0, 1).clustered(1),
            Record::win(1, 0).clustered(2),
            Record::tie(1, 0).clustered(1),
            Record::tie(0, 1),
            Record::win(2, 0).clustered(2),
            Record::new(&[0, 1, 2], &[1, 2, 3]).clustered(2),
        ];
        assert_eq!(Trinomial::of(&records, 0, 1), Trinomial([1, 2, 1]));
        assert_eq!(Pentanomial::of(&records, 0, 1), (Pentanomial([0, 0, 0, 1, 0]), 2));
        assert_eq!(Pentanomial::of(&records, 1, 0), (Pentanomial([0, 1, 0, 0, 0]), 2));
    }
}
