//! Players who met each other, rated.

use std::cmp::Reverse;

use serde::Serialize;

use crate::{
    Anchor, Intervals, Options, RatingError, Record, Row,
    elo::ELO_PER_NAT,
    fit::{Choices, Halt, Solver},
    graph::{Footing, footings},
    spread::{Spread, mean_of},
    tally::Tally,
};

/// Players who met each other, directly or through others.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Group {
    /// The players, best first.
    pub players: Vec<usize>,
    /// How many matches they had.
    pub matches: usize,
    /// What the ratings are counted from: a player, or the group's mean.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub anchor: Option<usize>,
    /// For each number of players that tied: how common that is, relative to a single winner.
    pub ties: Vec<TieOdds>,
    /// The probability that the player of the row is stronger than the player of the column, in the
    /// order of `players`; empty if the group is larger than [`Options::matrices`].
    pub superiority: Vec<Vec<f64>>,
    /// Newton steps until no rating moved by a millionth of its standard error; 200: by a hundredth at most.
    pub steps: usize,
    /// Whether the intervals come from Fisher's information or from how many resamples.
    pub intervals: Intervals,
    /// What `superiority` is made of, players in order of their numbers.
    #[serde(skip)]
    model: Model,
}

/// How common ties are.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TieOdds {
    /// How many tie.
    pub players: usize,
    /// δ of the model: between two equal players, a tie has odds of δ to 2.
    pub odds: f64,
}

#[derive(Clone, Debug, PartialEq)]
struct Model {
    members: Vec<usize>,
    estimates: Vec<f64>,
    spread: Spread,
}

impl Group {
    /// The probability that one member is stronger than another.
    pub(crate) fn superiority_of(&self, one: usize, other: usize) -> Option<f64> {
        let at = |player| self.model.members.binary_search(&player).ok();
        Some(self.model.spread.superiority(&self.model.estimates, at(one)?, at(other)?))
    }
}

/// A group that is rated. Within it, players are numbered by their place in `members`.
pub(crate) struct Rated {
    model: Model,
    matches: usize,
    ties: Vec<TieOdds>,
    steps: usize,
    footings: Vec<Footing>,
    /// The players from the best to the worst.
    order: Vec<usize>,
    /// The anchor, if it is in the group.
    anchor: Option<usize>,
    /// Whose ratings have the mean `zero`.
    base: Vec<usize>,
    zero: f64,
}

impl Rated {
    /// Rates `members`, in order of their numbers, by the matches among them.
    pub(crate) fn new(
        members: Vec<usize>,
        records: &[&Record],
        local: impl Fn(usize) -> usize + Copy,
        options: &Options,
    ) -> Result<Rated, RatingError> {
        let players = members.len();
        let choices = Choices::new(players, records, local);
        let totals = choices.totals(None);
        let mut solver = Solver::new(&choices, options.prior);
        let problem = |halt| match halt {
            Halt::Runaway => RatingError::Separated { players: members.clone() },
            Halt::Stuck(steps) => RatingError::Stuck { players, steps },
        };
        let fit = solver.fit(&totals, &vec![0.0; choices.parameters()]).map_err(problem)?;
        let spread = match options.intervals {
            Intervals::Bootstrap { resamples } if choices.units() > 0 => {
                Spread::bootstrap(&choices, &fit, options.prior, resamples, options.seed).map_err(problem)?
            }
            _ => Spread::of_information(solver.information(&totals, &fit), choices.parameters(), players),
        };
        let (estimates, gamma) = fit.values.split_at(players);
        let odds = choices.orders[1..].iter().zip(gamma);
        let mut order: Vec<usize> = (0..players).collect();
        // Millionths, so that rounding does not choose among those with the same results.
        let millionths = |at: usize| (estimates[at] * 1e6).round() as i64;
        order.sort_by_key(|&at| (Reverse(millionths(at)), at));
        let footings = footings(players, records, local);
        let (anchor, zero) = match options.anchor {
            Anchor::Player { player, elo } => match members.binary_search(&player) {
                Ok(at) => (Some(at), elo),
                Err(_) => (None, 0.0),
            },
            Anchor::Mean | Anchor::Firm => (None, 0.0),
        };
        let is_firm = |at: &usize| footings[*at] == Footing::Firm;
        let mut base: Vec<usize> = match (anchor, options.anchor) {
            (Some(at), _) => vec![at],
            (None, Anchor::Firm) => (0..players).filter(is_firm).collect(),
            (None, _) => Vec::new(),
        };
        if base.is_empty() {
            base = (0..players).collect();
        }
        Ok(Rated {
            matches: records.len(),
            ties: odds.map(|(&players, gamma)| TieOdds { players, odds: libm::exp(*gamma) }).collect(),
            steps: fit.steps,
            footings,
            order,
            anchor,
            base,
            zero,
            model: Model { estimates: estimates.to_vec(), members, spread },
        })
    }

    /// The rows of the group, best first; `group` is its number.
    pub(crate) fn rows(&self, group: usize, tallies: &[Tally], options: &Options) -> Vec<Row> {
        let Model { members, estimates, spread } = &self.model;
        let level = self.zero - ELO_PER_NAT * mean_of(estimates, &self.base);
        let ends = spread.intervals(estimates, &self.base, options.confidence);
        let zero = self.zero;
        let counts = match (spread, options.samples) {
            (Spread::Normal(_), 0) => vec![Vec::new(); members.len()],
            (_, samples) => spread.ranks(estimates, samples, options.seed),
        };
        let row = |(place, &at): (usize, &usize)| {
            let rank = place + 1;
            let (rank_low, rank_high) = rank_range(&counts[at], options.confidence).unwrap_or((rank, rank));
            let drawn: u32 = counts[at].iter().sum();
            let share = |&count: &u32| f64::from(count) / f64::from(drawn);
            let small = members.len() <= options.matrices;
            Row {
                player: members[at],
                group,
                rank,
                tally: tallies[members[at]].clone(),
                elo: ELO_PER_NAT * estimates[at] + level,
                low: ends[at].0 + zero,
                high: ends[at].1 + zero,
                footing: self.footings[at],
                rank_low,
                rank_high,
                rank_probabilities: if small { counts[at].iter().map(share).collect() } else { Vec::new() },
            }
        };
        self.order.iter().enumerate().map(row).collect()
    }

    /// What a table says of the group as a whole.
    pub(crate) fn into_group(self, options: &Options) -> Group {
        let Rated { model, order, .. } = self;
        let cell = |&one: &usize, &other: &usize| model.spread.superiority(&model.estimates, one, other);
        let line = |one| order.iter().map(|other| cell(one, other)).collect();
        let small = model.members.len() <= options.matrices;
        Group {
            players: order.iter().map(|&at| model.members[at]).collect(),
            matches: self.matches,
            anchor: self.anchor.map(|at| model.members[at]),
            ties: self.ties,
            superiority: if small { order.iter().map(line).collect() } else { Vec::new() },
            steps: self.steps,
            intervals: options.intervals,
            model,
        }
    }
}

/// The ranks between which a part `confidence` of the counts lies, the same on both sides.
fn rank_range(counts: &[u32], confidence: f64) -> Option<(usize, usize)> {
    let drawn: u32 = counts.iter().sum();
    let tail = f64::from(drawn) * (1.0 - confidence) / 2.0;
    let beyond = |counts: Vec<u32>| {
        let mut sum = 0;
        counts.into_iter().position(|count| {
            sum += count;
            f64::from(sum) > tail
        })
    };
    let backwards = counts.iter().rev().copied().collect();
    Some((beyond(counts.to_vec())? + 1, counts.len() - beyond(backwards)?))
}
