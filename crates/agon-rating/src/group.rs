//! Rates players who met each other, directly or through others. A table has one or more such
//! groups.

use std::{cmp::Reverse, collections::BTreeMap};

use agon_core::{Purpose, Seed};

use crate::fit::{Choices, Fit, Halt, Penalty, Solver, Totals, covariance, dot};
use crate::graph::{Footing, footings, not_behind};
use crate::likelihood::{Base, Likelihood, error_of, fit};
use crate::{
    Anchor, Intervals, Options, RatingError, Record, Row, elo::elo_per_strength, normal,
    table::Tally,
};

/// Players who met each other, directly or through others.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// The players, best first.
    pub players: Vec<usize>,
    /// The number of their matches, or of their records if they were made from records.
    pub matches: usize,
    /// The zero of the ratings: a player, or the group's mean.
    pub anchor: Option<usize>,
    /// The frequency of each number of tied players, relative to a single winner.
    pub ties: Vec<TieOdds>,
    /// The points of rating that mean odds of winning to losing of e to 1.
    ///
    /// This is [`ELO_PER_NAT`](crate::ELO_PER_NAT) without ties and less with ties, so that a
    /// difference of ratings gives the expected score.
    pub elo_per_nat: f64,
    /// The probability that the player of the row is stronger than the player of the column.
    ///
    /// It is in the order of `players`, and empty if the group is larger
    /// than [`Options::matrices`].
    pub superiority: Vec<Vec<f64>>,
    /// The number of Newton steps, until no rating moved by a millionth of its standard error.
    ///
    /// After 200 steps the limit is a hundredth.
    pub steps: usize,
    /// The source of the intervals.
    pub intervals: Intervals,
    /// The source of `superiority`, with players in order of their numbers.
    model: Model,
}

/// The frequency of ties.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TieOdds {
    /// The number of players who tie.
    pub players: usize,
    /// δ of the model: a tie between two equal players has odds of δ to 2.
    pub odds: f64,
}

#[derive(Clone, Debug, PartialEq)]
struct Model {
    members: Vec<usize>,
    estimates: Vec<f64>,
    spread: Spread,
}

impl Group {
    /// Returns the probability that one member is stronger than another.
    pub(crate) fn superiority_of(&self, one: usize, other: usize) -> Option<f64> {
        let at = |player| self.model.members.binary_search(&player).ok();
        Some(self.model.spread.superiority(&self.model.estimates, at(one)?, at(other)?))
    }
}

/// A group's estimates.
struct Fitted {
    estimates: Vec<f64>,
    ties: Vec<TieOdds>,
    elo_per_strength: f64,
    steps: usize,
    spread: Spread,
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

impl Fitted {
    fn new(
        choices: Choices,
        totals: Totals,
        sizes: &BTreeMap<usize, f64>,
        options: &Options,
    ) -> Result<Fitted, Halt> {
        let players = choices.players;
        let orders = choices.orders.clone();
        let fitted = |fit: Fit, spread: Spread| {
            let (estimates, gamma) = fit.values.split_at(players);
            let odds =
                |(&players, gamma): (&usize, &f64)| TieOdds { players, odds: libm::exp(*gamma) };
            Fitted {
                ties: orders[1..].iter().zip(gamma).map(odds).collect(),
                elo_per_strength: elo_per_strength(&orders, sizes, gamma),
                estimates: estimates.to_vec(),
                steps: fit.steps,
                spread,
            }
        };
        if options.intervals == Intervals::Likelihood {
            let (likelihood, fit) =
                Likelihood::new(choices, totals, options.prior.max(0.1), options.widen)?;
            return Ok(fitted(fit, Spread::Likelihood(Box::new(likelihood))));
        }
        let mut solver = Solver::new(&choices, Penalty::even(options.prior));
        let fit = solver.fit(&totals, &vec![0.0; choices.parameters()])?;
        let information = solver.information(&totals, &fit).dense();
        let spread = Spread::Normal(covariance(information, choices.parameters(), players));
        Ok(fitted(fit, spread))
    }
}

/// A group that is rated. Its players are numbered by their place in `members`.
pub(crate) struct Rated {
    model: Model,
    matches: usize,
    ties: Vec<TieOdds>,
    steps: usize,
    footings: Vec<Footing>,
    /// The players, best first.
    order: Vec<usize>,
    zero: Zero,
    elo_per_strength: f64,
}

/// The zero of a group's ratings.
struct Zero {
    /// The anchor, if it is in the group.
    anchor: Option<usize>,
    /// The players whose ratings have the mean `elo`.
    base: Base,
    elo: f64,
}

impl Zero {
    fn new(members: &[usize], footings: &[Footing], anchor: Anchor) -> Zero {
        let players = members.len();
        let everybody = || (0..players).collect::<Vec<usize>>();
        let alone = |elo, base| Zero { anchor: None, base: Base::new(base, players), elo };
        match anchor {
            Anchor::Player { player, elo } => match members.binary_search(&player) {
                Ok(at) => Zero { anchor: Some(at), base: Base::new(vec![at], players), elo },
                Err(_) => alone(0.0, everybody()),
            },
            Anchor::Mean => alone(0.0, everybody()),
            Anchor::Firm => {
                let mut firm = everybody();
                firm.retain(|&at| footings[at] == Footing::Firm);
                alone(0.0, if firm.is_empty() { everybody() } else { firm })
            }
        }
    }
}

/// Returns just the ratings of `members`.
///
/// They equal those of [`Rated`] with [`Intervals::Likelihood`].
pub(crate) fn ratings(
    members: &[usize],
    evidence: &Evidence,
    options: &Options,
) -> Result<Vec<f64>, RatingError> {
    let Evidence { choices, totals, sizes, footings, .. } = evidence;
    let found =
        fit(choices, totals, options.prior.max(0.1)).map_err(|halt| error_of(halt, members))?;
    let (strengths, gamma) = found.values.split_at(members.len());
    let per_strength = elo_per_strength(&choices.orders, sizes, gamma);
    let zero = Zero::new(members, footings, options.anchor);
    let level = zero.base.mean_of(strengths);
    Ok(strengths.iter().map(|strength| zero.elo + per_strength * (strength - level)).collect())
}

impl Rated {
    /// Rates `members`, in order of their numbers, by the matches among them.
    pub(crate) fn new(
        members: Vec<usize>,
        evidence: Evidence,
        options: &Options,
    ) -> Result<Rated, RatingError> {
        let players = members.len();
        let Evidence { choices, totals, sizes, footings, matches } = evidence;
        let Fitted { estimates, ties, elo_per_strength, steps, spread } =
            Fitted::new(choices, totals, &sizes, options)
                .map_err(|halt| error_of(halt, &members))?;
        let mut order: Vec<usize> = (0..players).collect();
        // Millionths, so that rounding does not order players with the same results.
        let millionths = |at: usize| (estimates[at] * 1e6).round() as i64;
        order.sort_by_key(|&at| (Reverse(millionths(at)), at));
        let zero = Zero::new(&members, &footings, options.anchor);
        Ok(Rated {
            matches,
            ties,
            steps,
            footings,
            order,
            zero,
            elo_per_strength,
            model: Model { estimates, members, spread },
        })
    }

    /// Returns the rows of the group, best first; `group` is its number.
    pub(crate) fn rows(&self, group: usize, tallies: &[Tally], options: &Options) -> Vec<Row> {
        let Model { members, estimates, spread } = &self.model;
        let elo = |strength: f64| self.zero.elo + self.elo_per_strength * strength;
        let level = self.zero.base.mean_of(estimates);
        let ends = spread.intervals(estimates, &self.zero.base, options.confidence);
        let draws = match options.samples {
            0 => RankDraws::new(members.len()),
            samples => spread.ranks(estimates, samples, options.seed),
        };
        let small = members.len() <= options.matrices;
        let row = |(place, &at): (usize, &usize)| {
            let rank = place + 1;
            let (rank_low, rank_high) = draws.range(at, options.confidence).unwrap_or((rank, rank));
            Row {
                player: members[at],
                group,
                rank,
                tally: tallies[members[at]].clone(),
                elo: elo(estimates[at] - level),
                low: elo(ends[at].0),
                high: elo(ends[at].1),
                footing: self.footings[at],
                rank_low,
                rank_high,
                rank_probabilities: if small { draws.probabilities(at) } else { Vec::new() },
            }
        };
        self.order.iter().enumerate().map(row).collect()
    }

    /// Returns the table's facts about the group as a whole.
    pub(crate) fn into_group(self, options: &Options) -> Group {
        let Rated { model, order, .. } = self;
        let cell =
            |&one: &usize, &other: &usize| model.spread.superiority(&model.estimates, one, other);
        let line = |one| order.iter().map(|other| cell(one, other)).collect();
        let small = model.members.len() <= options.matrices;
        Group {
            players: order.iter().map(|&at| model.members[at]).collect(),
            matches: self.matches,
            anchor: self.zero.anchor.map(|at| model.members[at]),
            ties: self.ties,
            elo_per_nat: self.elo_per_strength,
            superiority: if small { order.iter().map(line).collect() } else { Vec::new() },
            steps: self.steps,
            intervals: options.intervals,
            model,
        }
    }
}

/// The uncertainty of a group's ratings, in natural logarithms of odds, without an anchor.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Spread {
    /// From likelihood ratios.
    Likelihood(Box<Likelihood>),
    /// Normal, with the covariances of the players row by row.
    Normal(Vec<f64>),
}

impl Spread {
    /// Returns the ends of each player's interval if the mean of the estimates of `base` is 0.
    pub(crate) fn intervals(
        &self,
        estimates: &[f64],
        base: &Base,
        confidence: f64,
    ) -> Vec<(f64, f64)> {
        let players = estimates.len();
        match self {
            Spread::Likelihood(likelihood) => likelihood.intervals(base, confidence),
            Spread::Normal(covariance) => {
                let means: Vec<f64> =
                    covariance.chunks(players).map(|row| base.mean_of(row)).collect();
                let whole = base.mean_of(&means);
                let variance = |player: usize| {
                    covariance[player * players + player] - 2.0 * means[player] + whole
                };
                let width =
                    |player| normal::half_width(confidence) * variance(player).max(0.0).sqrt();
                let level = base.mean_of(estimates);
                let ends = |player: usize| {
                    let middle = estimates[player] - level;
                    (middle - width(player), middle + width(player))
                };
                (0..players).map(ends).collect()
            }
        }
    }

    /// Returns the probability that one player is stronger than another.
    pub(crate) fn superiority(&self, estimates: &[f64], one: usize, other: usize) -> f64 {
        match self {
            Spread::Likelihood(likelihood) => likelihood.superiority(one, other),
            Spread::Normal(covariance) => {
                let variance = difference(covariance, estimates.len(), one, other);
                let ahead = estimates[one] - estimates[other];
                if variance > 0.0 { normal::cdf(ahead / variance.sqrt()) } else { 0.5 }
            }
        }
    }

    /// Draws this many rankings.
    pub(crate) fn ranks(&self, estimates: &[f64], samples: usize, seed: Seed) -> RankDraws {
        let players = estimates.len();
        let mut draws = RankDraws::new(players);
        let covariance = match self {
            Spread::Likelihood(likelihood) => return likelihood.ranks(samples, seed),
            Spread::Normal(covariance) => covariance,
        };
        let factor = factor(covariance, players);
        let mut values = vec![0.0; players];
        let mut noise = vec![0.0; players];
        let mut rng = seed.stream(Purpose::Sample, 0);
        for _ in 0..samples {
            normal::fill(&mut rng, &mut noise);
            for (player, value) in values.iter_mut().enumerate() {
                let row = &factor[player * players..player * players + player + 1];
                *value = estimates[player] + dot(row, &noise[..=player]);
            }
            draws.add(&values);
        }
        draws
    }
}

/// Returns the variance of the difference between two players.
fn difference(covariance: &[f64], players: usize, one: usize, other: usize) -> f64 {
    let at = |row: usize, column: usize| covariance[row * players + column];
    at(one, one) + at(other, other) - 2.0 * at(one, other)
}

/// Returns Cholesky's lower factor of a covariance matrix, zero where only rounding is left.
fn factor(covariance: &[f64], players: usize) -> Vec<f64> {
    let mut lower = vec![0.0; players * players];
    for row in 0..players {
        for column in 0..=row {
            let (one, other) = (row * players, column * players);
            let known = dot(&lower[one..one + column], &lower[other..other + column]);
            let rest = covariance[one + column] - known;
            lower[one + column] = if row == column {
                rest.max(0.0).sqrt()
            } else if lower[other + column] > 0.0 {
                rest / lower[other + column]
            } else {
                0.0
            };
        }
    }
    lower
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
    fn ranks_of_equals_are_even_and_those_of_far_apart_certain() {
        let spread = Spread::Normal(vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
        let draws = spread.ranks(&[0.0, 0.0, -50.0], 4_000, Seed::plain(3));
        assert!((0.46..0.54).contains(&draws.probabilities(0)[0]), "{draws:?}");
        assert_eq!(draws.probabilities(2), [0.0, 0.0, 1.0]);
        assert!((spread.superiority(&[0.0, 0.0, -50.0], 0, 1) - 0.5).abs() < 1e-15);
    }

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
