//! The part `workers` of a report: whether matches came out the same on all machines.

use std::collections::{BTreeMap, BTreeSet};

use agon_rating::half_width;
use schemars::JsonSchema;
use serde::Serialize;

use super::facts::{Names, percent, rounded};
use super::results::CONFIDENCE;
use crate::{Record, pairing::taken};

/// So many seeds at least are needed to compare a machine with the others.
const FEW: u64 = 10;

/// The probability that a tournament on equal machines names a bot.
const CHANCE: f64 = 0.001;

/// The matches that a machine has played for the tournament.
#[derive(Debug, Serialize, JsonSchema)]
pub struct WorkerLine<'a> {
    /// The name of the worker.
    pub worker: &'a str,
    /// The number of matches.
    pub matches: u64,
    /// All limits in CPU time were this percentage of the plan's there.
    pub limits_percent: u32,
    /// The mean duration of a match, in milliseconds.
    pub ms: f64,
    /// Attempts in which the machine stood still, so that the match was played again.
    pub void: u64,
    /// Matches in which a bot committed a fault.
    pub faulty: u64,
    /// By how much better the favourite of two bots did there than elsewhere, as a share of a win;
    /// `null` if there are too few matches. A machine on which bots cannot do their best helps
    /// the weaker ones.
    pub favourites: Option<Difference>,
    /// Bots whose score differs there more than by chance: of tournaments on equal machines, at
    /// most one in a thousand names any bot at any worker.
    pub bots: Vec<BotDifference<'a>>,
}

/// A difference of scores: the mean over all pairs of bots that met there and elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Difference {
    /// The score there minus the score elsewhere.
    pub mean: f64,
    /// The lower end of its interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// A bot that did better or worse on a machine.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BotDifference<'a> {
    /// The bot.
    pub bot: &'a str,
    /// By how much; its interval takes into account how many bots and workers there are.
    pub difference: Difference,
}

/// Results of two bots, the one with the smaller number first.
#[derive(Clone, Copy, Debug, Default)]
struct Pair {
    meetings: u64,
    /// The sum of the first one's scores: 1 for a win, 0.5 for a tie.
    score: f64,
    /// The sum of their squares.
    squares: f64,
}

impl Pair {
    fn mean(self) -> f64 {
        self.score / self.meetings as f64
    }

    /// Returns the variance of a score, estimated without bias.
    fn variance(self) -> f64 {
        let mean = self.mean();
        let sum = self.squares - mean * self.score;
        if self.meetings < 2 { 0.0 } else { sum / (self.meetings - 1) as f64 }
    }
}

/// Whose scores are summed up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Side {
    Favourites,
    Bot(usize),
}

/// What is known of one side on one worker.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    /// The sum of scores minus their expectations.
    excess: f64,
    /// The sum of its squares over seeds: matches on one seed depend on each other.
    squares: f64,
    seeds: u64,
    meetings: u64,
    /// Σ n m / (n + m) over pairs with n meetings there and m elsewhere.
    weight: f64,
    /// The same sum, each pair times the variance of its scores.
    variance: f64,
}

impl Sum {
    /// Returns the difference with an interval of `width` standard errors on each side.
    ///
    /// It is the difference of means, stratified by pairs, with the weights of Cochran ("Some
    /// methods for strengthening the common χ² tests", Biometrics 10, 1954). Its variance is that
    /// of the excess if all machines are equal: of independent matches, or as seen between seeds,
    /// whichever is more. The first counts where one bot nearly always wins, the second where
    /// matches on a seed are alike.
    fn difference(&self, width: f64) -> Option<Difference> {
        if self.seeds < FEW || self.weight <= 0.0 {
            return None;
        }
        let mean = self.excess / self.weight;
        let seen = self.squares * self.weight / self.meetings as f64;
        let error = seen.max(self.variance).sqrt() / self.weight;
        let [mean, low, high] = [mean, mean - width * error, mean + width * error].map(|part| {
            // Nobody gains or loses more than a win.
            rounded(part.clamp(-1.0, 1.0), 4)
        });
        Some(Difference { mean, low, high })
    }
}

/// Returns all meetings of two bots in a match, as numbers of bots in order, and the first one's
/// score.
fn meetings(record: &Record, names: &Names<'_>) -> Vec<((usize, usize), f64)> {
    let seats = record.seats.iter().zip(&record.places);
    let seats: Vec<(usize, u32)> =
        seats.filter_map(|(name, &place)| Some((names.number(name)?, place))).collect();
    let mut meetings = Vec::new();
    for (at, &one) in seats.iter().enumerate() {
        for &other in &seats[at + 1..] {
            let ((first, place), (second, its_place)) = (one.min(other), one.max(other));
            if first != second {
                meetings.push(((first, second), f64::from(taken(place, its_place)) / 2.0));
            }
        }
    }
    meetings
}

/// Returns a line for each machine that has played for another one, by name.
///
/// `records` are matches that were played, in order of the schedule. Matches of bots that always
/// answer the same (`repeatable`) come out the same everywhere: they are not compared.
pub(crate) fn workers<'a>(
    records: &[&'a Record],
    names: &Names<'a>,
    repeatable: &BTreeSet<&str>,
) -> Vec<WorkerLine<'a>> {
    let mut lines = lines(records);
    if lines.is_empty() {
        return Vec::new();
    }
    let is_same = |record: &Record| record.seats.iter().all(|bot| repeatable.contains(&**bot));
    let compared: Vec<&Record> =
        records.iter().copied().filter(|record| !is_same(record)).collect();
    let sums = sums(&compared, names);
    let bots: BTreeSet<(&str, usize)> = sums
        .iter()
        .filter_map(|(&(worker, side), sum)| match side {
            Side::Bot(bot) if sum.difference(1.0).is_some() => Some((worker, bot)),
            _ => None,
        })
        .collect();
    // Bonferroni's correction for so many looks.
    let width = half_width(1.0 - CHANCE / bots.len().max(1) as f64);
    for line in &mut lines {
        let favourites = sums.get(&(line.worker, Side::Favourites));
        line.favourites = favourites.and_then(|sum| sum.difference(half_width(CONFIDENCE)));
        let of_worker = bots.range((line.worker, 0)..=(line.worker, usize::MAX));
        line.bots = of_worker
            .filter_map(|&(worker, bot)| {
                let difference = sums[&(worker, Side::Bot(bot))].difference(width)?;
                let is_sure = difference.low > 0.0 || difference.high < 0.0;
                is_sure.then(|| BotDifference { bot: names.of(bot), difference })
            })
            .collect();
    }
    lines
}

/// Returns the lines without comparisons.
fn lines<'a>(records: &[&'a Record]) -> Vec<WorkerLine<'a>> {
    let mut lines: BTreeMap<&str, WorkerLine<'_>> = BTreeMap::new();
    for record in records {
        let Some(machine) = &record.machine else { continue };
        let line = lines.entry(&machine.worker).or_insert_with(|| WorkerLine {
            worker: &machine.worker,
            matches: 0,
            limits_percent: machine.scale,
            ms: 0.0,
            void: 0,
            faulty: 0,
            favourites: None,
            bots: Vec::new(),
        });
        line.matches += 1;
        // Matches without a clock have no other limits.
        if machine.scale.abs_diff(100) > line.limits_percent.abs_diff(100) {
            line.limits_percent = machine.scale;
        }
        line.ms += record.ms as f64;
        line.void += u64::from(record.void);
        line.faulty += u64::from(record.faults.iter().any(|faults| !faults.is_empty()));
    }
    for line in lines.values_mut() {
        line.ms = rounded(line.ms / line.matches as f64, 1);
    }
    lines.into_values().collect()
}

/// Sums up how far scores are from the mean of their pair, by worker and side.
fn sums<'a>(records: &[&'a Record], names: &Names<'_>) -> BTreeMap<(&'a str, Side), Sum> {
    let mut pairs: BTreeMap<(usize, usize), Pair> = BTreeMap::new();
    let mut there: BTreeMap<(&str, (usize, usize)), u64> = BTreeMap::new();
    for record in records {
        for (both, score) in meetings(record, names) {
            let pair = pairs.entry(both).or_default();
            pair.meetings += 1;
            pair.score += score;
            pair.squares += score * score;
            if let Some(machine) = &record.machine {
                *there.entry((&machine.worker, both)).or_default() += 1;
            }
        }
    }
    let mut sums: BTreeMap<(&str, Side), Sum> = BTreeMap::new();
    for (&(worker, both), &count) in &there {
        let elsewhere = pairs[&both].meetings - count;
        if elsewhere == 0 {
            continue;
        }
        let weight = count as f64 * elsewhere as f64 / pairs[&both].meetings as f64;
        for side in [Side::Favourites, Side::Bot(both.0), Side::Bot(both.1)] {
            let sum = sums.entry((worker, side)).or_default();
            sum.meetings += count;
            sum.weight += weight;
            sum.variance += weight * pairs[&both].variance();
        }
    }
    let same_seed = |one: &&Record, other: &&Record| {
        one.id.pairing == other.id.pairing && one.seed == other.seed
    };
    for group in records.chunk_by(same_seed) {
        let mut of_seed: BTreeMap<(&str, Side), f64> = BTreeMap::new();
        for record in group {
            let Some(machine) = &record.machine else { continue };
            for (both, score) in meetings(record, names) {
                let pair = pairs[&both];
                if there[&(machine.worker.as_str(), both)] == pair.meetings {
                    continue;
                }
                let excess = score - pair.mean();
                let favourites = if pair.mean() < 0.5 { -excess } else { excess };
                for (side, excess) in [
                    (Side::Favourites, favourites),
                    (Side::Bot(both.0), excess),
                    (Side::Bot(both.1), -excess),
                ] {
                    *of_seed.entry((&machine.worker, side)).or_default() += excess;
                }
            }
        }
        for (key, excess) in of_seed {
            let sum = sums.entry(key).or_default();
            sum.excess += excess;
            sum.squares += excess * excess;
            sum.seeds += 1;
        }
    }
    sums
}

/// Returns a sentence for each bot that did better or worse on a machine than by chance.
pub(crate) fn warnings(lines: &[WorkerLine<'_>]) -> Vec<String> {
    /// More would hide other warnings.
    const MOST: usize = 3;
    let all = lines.iter().flat_map(|line| line.bots.iter().map(move |bot| (line, bot)));
    let mut warnings: Vec<String> = all
        .clone()
        .take(MOST)
        .map(|(line, BotDifference { bot, difference })| {
            let Difference { mean, low, high } = *difference;
            let (word, ends) = match mean < 0.0 {
                true => ("less", [-high, -low]),
                false => ("more", [low, high]),
            };
            let [mean, low, high] = [mean.abs(), ends[0], ends[1]].map(percent);
            let worker = line.worker;
            format!(
                "{bot} scored {mean} of a win {word} on the worker {worker} than elsewhere ({low} \
                 to {high}). Chance alone rarely explains this: that machine may disturb bots."
            )
        })
        .collect();
    let more = all.count().saturating_sub(MOST);
    if more > 0 {
        warnings.push(format!("{more} more such differences between workers are in the report."));
    }
    warnings
}
