//! Rates players who met each other, directly or through others. A table has one or more such
//! groups.

use std::{cmp::Reverse, collections::BTreeMap};

use crate::fit::{Choices, Totals};
use crate::graph::{Footing, footings, not_behind};
use crate::likelihood::{Base, Likelihood};
use crate::{Anchor, Options, RatingError, Record, Row, elo::elo_per_strength, table::Tally};

/// Players who met each other, directly or through others.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// The number of their matches, or of their records if they were made from records.
    pub matches: usize,
    /// The frequency of each number of tied players, relative to a single winner.
    pub ties: Vec<TieOdds>,
    /// The points of rating that mean odds of winning to losing of e to 1.
    ///
    /// This is [`ELO_PER_NAT`](crate::ELO_PER_NAT) without ties and less with ties, so that a
    /// difference of ratings gives the expected score.
    pub elo_per_nat: f64,
    /// The players, in order of their numbers.
    members: Vec<usize>,
    likelihood: Likelihood,
}

/// The frequency of ties.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TieOdds {
    /// The number of players who tie.
    pub players: usize,
    /// δ of the model: a tie between two equal players has odds of δ to 2.
    pub odds: f64,
}

impl Group {
    /// Returns the probability that one member is stronger than another.
    pub(crate) fn superiority(&self, one: usize, other: usize) -> Option<f64> {
        let at = |player| self.members.binary_search(&player).ok();
        Some(self.likelihood.superiority(at(one)?, at(other)?))
    }
}

/// What the matches of a group say, without their order.
pub(crate) struct Evidence {
    pub(crate) choices: Choices,
    pub(crate) totals: Totals,
    /// The numbers of players per match, each with the weight of its matches.
    pub(crate) sizes: BTreeMap<usize, f64>,
    pub(crate) footings: Vec<Footing>,
    pub(crate) matches: usize,
}

impl Evidence {
    /// Takes the records of a group; `local` numbers its players.
    pub(crate) fn of_records(
        players: usize,
        records: &[&Record],
        local: impl Fn(usize) -> usize + Copy,
    ) -> Evidence {
        let choices = Choices::new(players, records, local);
        let mut sizes: BTreeMap<usize, f64> = BTreeMap::new();
        for record in records {
            *sizes.entry(record.players.len()).or_default() += record.weight;
        }
        let pairs = records.iter().flat_map(|record| not_behind(&record.players, &record.places));
        let footings = footings(players, pairs.map(|(one, other)| (local(one), local(other))));
        let totals = choices.totals();
        Evidence { choices, totals, sizes, footings, matches: records.len() }
    }
}

/// Rates `members`, in order of their numbers, by the matches among them.
///
/// Returns their rows, best first, and the group; `number` is that of the group.
pub(crate) fn rate(
    number: usize,
    members: Vec<usize>,
    evidence: Evidence,
    tallies: &[Tally],
    options: &Options,
) -> Result<(Vec<Row>, Group), RatingError> {
    let Evidence { choices, totals, sizes, footings, matches } = evidence;
    let players = members.len();
    let orders = choices.orders.clone();
    let (likelihood, values) = Likelihood::new(choices, totals, options.widen)?;
    let (strengths, gamma) = values.split_at(players);
    let odds = |(&players, gamma): (&usize, &f64)| TieOdds { players, odds: libm::exp(*gamma) };
    let ties = orders[1..].iter().zip(gamma).map(odds).collect();
    let elo_per_nat = elo_per_strength(&orders, &sizes, gamma);

    let base = base(&footings, options.anchor);
    let level = base.mean_of(strengths);
    let ends = likelihood.intervals(&base, options.confidence);
    let draws = match options.samples {
        0 => RankDraws::new(players),
        samples => likelihood.ranks(samples, options.seed),
    };

    let mut order: Vec<usize> = (0..players).collect();
    // Millionths, so that rounding does not order players with the same results.
    let millionths = |at: usize| (strengths[at] * 1e6).round() as i64;
    order.sort_by_key(|&at| (Reverse(millionths(at)), at));
    // The sum avoids minus zero.
    let elo = |strength: f64| 0.0 + elo_per_nat * strength;
    let row = |(place, at): (usize, usize)| {
        let rank = place + 1;
        let (rank_low, rank_high) = draws.range(at, options.confidence).unwrap_or((rank, rank));
        let is_small = players <= options.matrices;
        Row {
            player: members[at],
            group: number,
            rank,
            tally: tallies[members[at]].clone(),
            elo: elo(strengths[at] - level),
            low: elo(ends[at].0),
            high: elo(ends[at].1),
            footing: footings[at],
            rank_low,
            rank_high,
            rank_probabilities: if is_small { draws.probabilities(at) } else { Vec::new() },
        }
    };
    let rows = order.into_iter().enumerate().map(row).collect();
    Ok((rows, Group { matches, ties, elo_per_nat, members, likelihood }))
}

/// Returns the players whose ratings have the mean 0.
fn base(footings: &[Footing], anchor: Anchor) -> Base {
    let players = footings.len();
    let is_firm = |&at: &usize| footings[at] == Footing::Firm;
    let firm: Vec<usize> = match anchor {
        Anchor::Mean => Vec::new(),
        Anchor::Firm => (0..players).filter(is_firm).collect(),
    };
    Base::new(if firm.is_empty() { (0..players).collect() } else { firm }, players)
}

/// The ranks, from 0, that each player had in the drawn rankings.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RankDraws {
    ranks: Vec<Vec<u32>>,
}

impl RankDraws {
    /// Starts without a ranking.
    pub(crate) fn new(players: usize) -> RankDraws {
        RankDraws { ranks: vec![Vec::new(); players] }
    }

    /// Makes rankings of two players, of which the first is ahead in `ahead` of `draws`.
    pub(crate) fn of_two(ahead: usize, draws: usize) -> RankDraws {
        let first = [vec![0; ahead], vec![1; draws - ahead]].concat();
        let second = first.iter().map(|rank| 1 - rank).collect();
        RankDraws { ranks: vec![first, second] }
    }

    /// Adds a ranking by strength, the greatest first.
    pub(crate) fn add(&mut self, strengths: &[f64]) {
        let mut order: Vec<usize> = (0..strengths.len()).collect();
        order.sort_by(|&one, &other| strengths[other].total_cmp(&strengths[one]));
        for (rank, player) in (0..).zip(order) {
            self.ranks[player].push(rank);
        }
    }

    /// Returns the range of a player's ranks, from 1, that holds a share of `confidence`.
    ///
    /// As many lie beyond it on either side. `None` without a draw.
    pub(crate) fn range(&self, player: usize, confidence: f64) -> Option<(usize, usize)> {
        let mut sorted = self.ranks[player].clone();
        sorted.sort_unstable();
        let beyond = (sorted.len() as f64 * (1.0 - confidence) / 2.0) as usize;
        let low = *sorted.get(beyond)?;
        let high = sorted[sorted.len() - 1 - beyond];
        Some((low as usize + 1, high as usize + 1))
    }

    /// Returns the share of draws with each rank, the first rank first; empty without a draw.
    pub(crate) fn probabilities(&self, player: usize) -> Vec<f64> {
        let ranks = &self.ranks[player];
        let mut parts = vec![0.0; if ranks.is_empty() { 0 } else { self.ranks.len() }];
        ranks.iter().for_each(|&rank| parts[rank as usize] += 1.0);
        parts.iter_mut().for_each(|part| *part /= ranks.len() as f64);
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_leave_out_the_same_on_both_sides() {
        let mut draws = RankDraws::new(3);
        assert_eq!((draws.range(0, 0.95), draws.probabilities(0)), (None, vec![]));
        for strengths in [[3.0, 2.0, 1.0], [3.0, 1.0, 2.0], [2.0, 3.0, 1.0], [3.0, 2.0, 1.0]] {
            draws.add(&strengths);
        }
        assert_eq!(draws.probabilities(0), [0.75, 0.25, 0.0]);
        assert_eq!((draws.range(1, 0.95), draws.range(1, 0.5)), (Some((1, 3)), Some((2, 2))));
        let two = RankDraws::of_two(3, 4);
        assert_eq!(two.probabilities(1), [0.25, 0.75]);
    }
}
