//! Results of each pair of players.
//!
//! Reports of tournaments show them, and cycles are found in them.

use std::f64::consts::LN_2;

use libm::{exp, lgamma};
use serde::Serialize;

use crate::{RatingError, Record};

/// The results of all pairs of players who met, in matches of any number of players.
///
/// The player with the better place wins the meeting.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HeadToHead {
    /// Each pair that met, once and in order, with `one` < `other`.
    pub pairs: Vec<Meetings>,
}

/// The meetings of two players, from the first one's point of view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Meetings {
    /// The player with the counted wins.
    pub one: usize,
    /// The other player.
    pub other: usize,
    /// Matches in which `one` was placed before `other`.
    pub wins: u64,
    /// Matches in which both had the same place.
    pub ties: u64,
    /// Matches in which `other` was placed before `one`.
    pub losses: u64,
    /// Clusters, or matches on their own, in which `one` won more often than `other`.
    pub ahead: u64,
    /// Clusters, or matches on their own, in which `other` won more often than `one`.
    pub behind: u64,
}

impl HeadToHead {
    /// Counts all meetings, without the weights of matches.
    ///
    /// # Errors
    /// If a record is wrong.
    pub fn new(records: &[Record]) -> Result<HeadToHead, RatingError> {
        records.iter().enumerate().try_for_each(|(number, record)| record.check(number))?;
        // The meetings, each with its cluster or the number of its match, and 1, 0 or -1 for `one`.
        let mut meetings: Vec<(usize, usize, Result<u64, usize>, i64)> = Vec::new();
        for (number, record) in records.iter().enumerate() {
            let cluster = record.cluster.ok_or(number);
            let entries: Vec<(usize, u32)> =
                record.players.iter().copied().zip(record.places.iter().copied()).collect();
            for (at, &(player, place)) in entries.iter().enumerate() {
                for &(rival, behind) in &entries[at + 1..] {
                    let sign = i64::from(place < behind) - i64::from(place > behind);
                    let (one, other, sign) =
                        if player < rival { (player, rival, sign) } else { (rival, player, -sign) };
                    meetings.push((one, other, cluster, sign));
                }
            }
        }
        meetings.sort_unstable();
        let pairs = meetings.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)).map(|pair| {
            let count = |sign: i64| pair.iter().filter(|meeting| meeting.3 == sign).count() as u64;
            let nets = pair
                .chunk_by(|a, b| a.2 == b.2)
                .map(|c| c.iter().map(|m| m.3).sum::<i64>().signum());
            let mut ahead = 0;
            let mut behind = 0;
            for net in nets {
                ahead += u64::from(net > 0);
                behind += u64::from(net < 0);
            }
            let (one, other) = (pair[0].0, pair[0].1);
            Meetings {
                one,
                other,
                wins: count(1),
                ties: count(0),
                losses: count(-1),
                ahead,
                behind,
            }
        });
        Ok(HeadToHead { pairs: pairs.collect() })
    }

    /// Returns the meetings of two players, from `one`'s point of view; `None` if they never met.
    pub fn get(&self, one: usize, other: usize) -> Option<Meetings> {
        let key = (one.min(other), one.max(other));
        let at = self.pairs.binary_search_by_key(&key, |pair| (pair.one, pair.other)).ok()?;
        let pair = self.pairs[at];
        Some(if one == pair.one { pair } else { pair.reversed() })
    }

    /// Returns the score of each of `players` against each other, from 0 to 1, in their order.
    ///
    /// `None` where two never met.
    pub fn matrix(&self, players: &[usize]) -> Vec<Vec<Option<f64>>> {
        let score = |one, other| self.get(one, other).map(|meetings| meetings.score());
        players
            .iter()
            .map(|&one| players.iter().map(|&other| score(one, other)).collect())
            .collect()
    }
}

impl Meetings {
    /// Returns the same meetings from the other player's point of view.
    pub fn reversed(self) -> Meetings {
        Meetings {
            one: self.other,
            other: self.one,
            wins: self.losses,
            ties: self.ties,
            losses: self.wins,
            ahead: self.behind,
            behind: self.ahead,
        }
    }

    /// Returns wins and half the ties, as a share of all meetings.
    pub fn score(&self) -> f64 {
        (self.wins as f64 + self.ties as f64 / 2.0) / (self.wins + self.ties + self.losses) as f64
    }

    /// Returns the confidence that one of the two beats the other more often than the reverse.
    ///
    /// It is 1 minus the probability that equals have a result at least as one-sided as this, in
    /// either direction. It is the exact two-sided sign test over clusters, without those that have
    /// no winner. Of pairs of equals, at most 5 % have a confidence of 0.95 or more.
    pub fn confidence(&self) -> f64 {
        let more = self.ahead.max(self.behind);
        let less = self.ahead.min(self.behind);
        if more == less { 0.0 } else { 1.0 - 2.0 * at_least(more, less) }
    }
}

/// Returns the probability that a fair coin shows heads at least this often.
///
/// With n = heads + tails throws it is P(X ≥ heads) of a binomial X with probability ½.
fn at_least(heads: u64, tails: u64) -> f64 {
    if heads <= tails {
        return 1.0 - if heads == 0 { 0.0 } else { at_least(tails + 1, heads - 1) };
    }
    let (heads, all) = (heads as f64, (heads + tails) as f64);
    let choices = lgamma(all + 1.0) - lgamma(heads + 1.0) - lgamma(all - heads + 1.0);
    let mut count = heads;
    let mut term = exp(choices - all * LN_2);
    let mut sum = 0.0;
    // More than half of the throws: each term is less than the one before.
    while count <= all && term > sum * f64::EPSILON / 4.0 {
        sum += term;
        term *= (all - count) / (count + 1.0);
        count += 1.0;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_of_larger_matches_are_counted() {
        let records = [Record::new(&[2, 0, 1], &[1, 2, 2]), Record::win(0, 2), Record::tie(1, 2)];
        let all = HeadToHead::new(&records).unwrap();
        let counts = |one, other| all.get(one, other).map(|m| (m.wins, m.ties, m.losses));
        assert_eq!(counts(0, 1), Some((0, 1, 0)));
        assert_eq!(counts(2, 0), Some((1, 0, 1)));
        assert_eq!(counts(1, 2), Some((0, 1, 1)));
        assert_eq!(counts(1, 3), None);
        assert_eq!(all.matrix(&[2, 1]), [[None, Some(0.75)], [Some(0.25), None]]);
    }

    #[test]
    fn confidence_is_the_two_sided_sign_test() {
        // 9 of 10: P(X ≥ 9) = P(X ≤ 1) = 11 / 1024.
        let records: Vec<Record> =
            (0..10).map(|i| if i == 3 { Record::win(1, 0) } else { Record::win(0, 1) }).collect();
        let all = HeadToHead::new(&records).unwrap();
        let pair = all.get(0, 1).unwrap();
        assert!((pair.confidence() - (1.0 - 22.0 / 1024.0)).abs() < 1e-12);
        assert_eq!(pair.reversed().confidence(), pair.confidence());
        let even = [Record::win(0, 1), Record::win(1, 0), Record::tie(0, 1)];
        for records in [&even[..], &even[..1]] {
            assert_eq!(HeadToHead::new(records).unwrap().pairs[0].confidence(), 0.0);
        }
    }

    #[test]
    fn at_most_one_pair_of_equals_in_twenty_is_told_apart() {
        for all in 6..=40u64 {
            let confidence = |ahead: u64| {
                let records: Vec<Record> = (0..all)
                    .map(|at| if at < ahead { Record::win(0, 1) } else { Record::win(1, 0) })
                    .collect();
                HeadToHead::new(&records).unwrap().pairs[0].confidence()
            };
            let least = (all / 2..=all).find(|&ahead| confidence(ahead) >= 0.95).unwrap();
            assert!(confidence(all - least) >= 0.95 && confidence(all - least + 1) < 0.95, "{all}");
            let told_apart = 2.0 * at_least(least, all - least);
            assert!(told_apart <= 0.05, "{all}: {told_apart}");
        }
    }

    #[test]
    fn tails_of_the_binomial_are_those_of_pascals_triangle() {
        for all in 1..=50u64 {
            let mut row = vec![1.0f64];
            for at in 0..all {
                row.push((row[at as usize] * (all - at) as f64 / (at + 1) as f64).round());
            }
            for heads in 0..=all {
                let exact = row[heads as usize..].iter().sum::<f64>() / (1u64 << all) as f64;
                assert!(
                    (at_least(heads, all - heads) / exact - 1.0).abs() < 1e-12,
                    "{heads} of {all}"
                );
            }
        }
        // Expected by the normal distribution, with half a step for continuity.
        assert!((at_least(501_000, 499_000) - 0.022_805).abs() < 1e-5);
    }

    #[test]
    fn a_cluster_has_one_voice() {
        let both =
            |cluster| [Record::win(0, 1).clustered(cluster), Record::win(0, 1).clustered(cluster)];
        let split =
            |cluster| [Record::win(0, 1).clustered(cluster), Record::win(1, 0).clustered(cluster)];
        let records = [both(1), split(2), both(7), split(3)].concat();
        let pair = HeadToHead::new(&records).unwrap().get(0, 1).unwrap();
        assert_eq!((pair.wins, pair.losses, pair.ahead, pair.behind), (6, 2, 2, 0));
        assert!((pair.confidence() - 0.5).abs() < 1e-12);
    }
}
