//! The tuner, the heart of `agon tune`: hands out duels between versions, and takes results.

use std::collections::{BTreeMap, VecDeque};

use agon_core::{Purpose, Rng, Seed};
use serde::{Deserialize, Serialize};

use crate::{MeanInterval, elo_of_score, tune::Param};

/// The most duels at a time: duel n depends on the results of those before n - 16.
///
/// So the order in which the open ones end does not matter.
pub const WINDOW: u64 = 16;

/// The divisor for the last part of the tuning, which values are averaged over: a quarter.
const LAST: u64 = 4;

/// A tuning in progress. It depends only on its start and on the results.
#[derive(Clone, Debug)]
pub struct Tuner {
    /// The parameters.
    pub params: Vec<Param>,
    gains: Gains,
    /// The total number of duels.
    all: u64,
    seed: Seed,
    /// The middle between the versions of a duel, in steps of the parameters.
    middle: Vec<f64>,
    /// Duels that have not been handed out.
    waiting: VecDeque<Duel>,
    /// Duels whose results have not been learned.
    open: VecDeque<Duel>,
    /// Results that came before those of earlier duels.
    early: BTreeMap<u64, f64>,
    /// The middle at the beginning and after each result, in steps.
    pub course: Vec<Vec<f64>>,
}

impl Tuner {
    /// Makes a tuning of `all` duels that starts at these values, in steps.
    ///
    /// # Panics
    /// If there is not a value within the range for each parameter.
    pub fn new(params: Vec<Param>, start: Vec<i64>, gains: Gains, all: u64, seed: Seed) -> Tuner {
        let within = |(param, steps): (&Param, &i64)| (0..=param.steps()).contains(steps);
        assert!(
            params.len() == start.len() && params.iter().zip(&start).all(within),
            "each parameter has a start"
        );
        let middle: Vec<f64> = start.iter().map(|&steps| steps as f64).collect();
        let mut tuner = Tuner {
            params,
            gains,
            all,
            seed,
            course: vec![middle.clone()],
            middle,
            waiting: VecDeque::new(),
            open: VecDeque::new(),
            early: BTreeMap::new(),
        };
        tuner.waiting = (0..all.min(WINDOW)).map(|number| tuner.duel(number)).collect();
        tuner.open = tuner.waiting.clone();
        tuner
    }

    /// Returns the next duel; `None` if results are needed first, or all are handed out.
    pub fn next_duel(&mut self) -> Option<Duel> {
        self.waiting.pop_front()
    }

    /// Takes the result of a duel: the points of `plus` minus those of `minus`, from -1 to 1.
    ///
    /// A second result of the same duel is ignored.
    pub fn result(&mut self, number: u64, difference: f64) {
        if number >= self.done() {
            self.early.entry(number).or_insert(difference);
        }
        while let Some(difference) = self.early.remove(&self.done()) {
            let Some(duel) = self.open.pop_front() else { return };
            self.learn(&duel, difference);
            self.course.push(self.middle.clone());
            let next = duel.number + WINDOW;
            if next < self.all {
                let duel = self.duel(next);
                self.open.push_back(duel.clone());
                self.waiting.push_back(duel);
            }
        }
    }

    /// Returns the number of learned results.
    pub fn done(&self) -> u64 {
        self.course.len() as u64 - 1
    }

    /// Returns whether all results are learned.
    pub fn is_over(&self) -> bool {
        self.done() == self.all
    }

    /// Returns for each parameter the mean over the last quarter of the course, in steps.
    ///
    /// It has no error: the values of one course depend on each other, so their spread does not
    /// show the result of another seed.
    pub fn last_means(&self) -> Vec<f64> {
        let begin = self.course.len() - self.course.len().div_ceil(LAST as usize);
        let last = &self.course[begin..];
        let count = last.len() as f64;
        let mean = |param: usize| last.iter().map(|point| point[param]).sum::<f64>() / count;
        (0..self.params.len()).map(mean).collect()
    }

    /// Returns the best values so far, in steps: the centre of the course's last quarter.
    pub fn best(&self) -> Vec<i64> {
        self.last_means().into_iter().map(|mean| mean.round() as i64).collect()
    }

    /// Returns the duel with this number around the current middle. It depends on nothing else.
    fn duel(&self, number: u64) -> Duel {
        let mut rng = self.seed.stream(Purpose::Sample, number);
        let mut plus = Vec::new();
        let mut minus = Vec::new();
        let up: Vec<bool> = self.params.iter().map(|_| rng.chance(1, 2)).collect();
        for ((param, &middle), &up) in self.params.iter().zip(&self.middle).zip(&up) {
            let probe = self.probe(param, number);
            let probe = if up { probe } else { -probe };
            // The same for both, so that they differ only as intended.
            let chance = fraction(&mut rng);
            plus.push(rounded(middle + probe, chance).clamp(0, param.steps()));
            minus.push(rounded(middle - probe, chance).clamp(0, param.steps()));
        }
        Duel { number, plus, minus, up }
    }

    /// Learns the result of a duel: the difference of points, from -1 to 1.
    fn learn(&mut self, duel: &Duel, difference: f64) {
        for ((param, middle), &up) in self.params.iter().zip(&mut self.middle).zip(&duel.up) {
            let probe = self.gains.probe_at(duel.number, self.all) * param.steps() as f64;
            // A probe may have to be larger because values are far apart. Then a result says less
            // about a step.
            let move_by = self.gains.move_at(duel.number, self.all)
                * param.steps() as f64
                * (probe / probe.max(1.0));
            let towards_plus = if up { move_by } else { -move_by };
            *middle = (*middle + difference * towards_plus).clamp(0.0, param.steps() as f64);
        }
    }

    /// Returns the distance of a duel's versions from the middle, in steps.
    ///
    /// Two versions with the same value would reveal nothing.
    fn probe(&self, param: &Param, number: u64) -> f64 {
        (self.gains.probe_at(number, self.all) * param.steps() as f64).max(1.0)
    }
}

/// Draws a number from 0 to 1.
fn fraction(rng: &mut Rng) -> f64 {
    (rng.bits() >> 11) as f64 / (1u64 << 53) as f64
}

/// Rounds up or down at random, so that the average is right.
fn rounded(value: f64, chance: f64) -> i64 {
    (value + chance).floor() as i64
}

/// Two versions of a bot to compare; values are in steps of the parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Duel {
    /// Its number, from 0.
    pub number: u64,
    /// The values of the one version.
    pub plus: Vec<i64>,
    /// The values of the other version.
    pub minus: Vec<i64>,
    /// Whether each value of `plus` was meant to be greater than that of `minus`.
    pub(crate) up: Vec<bool>,
}

/// The result of duels between the same two versions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Verdict {
    /// The number of duels.
    pub duels: usize,
    /// The mean difference of points per match, from -1 to 1.
    pub mean: f64,
    /// Lower end of a 95 % interval of it.
    pub low: f64,
    /// Upper end of the same interval.
    pub high: f64,
}

const CONFIDENCE: f64 = 0.95;

impl Verdict {
    /// Computes the mean of these differences and its interval ([`MeanInterval`]).
    ///
    /// The differences are of independent duels and from -1 to 1. `None` if there are none.
    pub fn of(differences: &[f64]) -> Option<Verdict> {
        let score = |difference: &f64| f64::midpoint(1.0, *difference).clamp(0.0, 1.0);
        let scores: Vec<f64> = differences.iter().map(score).collect();
        let interval = MeanInterval::of(&scores, CONFIDENCE)?;
        let difference = |score: f64| 2.0 * score - 1.0;
        Some(Verdict {
            duels: differences.len(),
            mean: difference(interval.mean),
            low: difference(interval.low),
            high: difference(interval.high),
        })
    }

    /// Returns mean, lower and upper end as Elo differences, for duels between the versions.
    ///
    /// Ends may be infinite.
    pub fn elo(&self) -> [f64; 3] {
        [self.mean, self.low, self.high]
            .map(|difference| elo_of_score(f64::midpoint(1.0, difference)))
    }
}

/// The gains of SPSA, as shares of a parameter's range at the end of the tuning.
///
/// People can judge them there. They fall from larger ones at the beginning: c(k) = c / (k +
/// 1)^0.101, a(k) = a / (A + k + 1)^0.602 with A a tenth of all steps. Spall recommends these
/// exponents ("Implementation of the simultaneous perturbation algorithm for stochastic
/// optimization", IEEE Transactions on Aerospace and Electronic Systems 34(3), 1998).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gains {
    /// The distance of the last duel's versions from the middle between them.
    ///
    /// It is at least one step of the parameter.
    pub probe: f64,
    /// The move after a won duel at the end, as a share of the probe: a(k) / c(k)².
    pub rate: f64,
}

/// The best values in `examples/landscapes.rs`.
impl Default for Gains {
    fn default() -> Gains {
        Gains { probe: 0.15, rate: 0.15 }
    }
}

const ALPHA: f64 = 0.602;
const GAMMA: f64 = 0.101;

/// The share of all steps that is `A`.
const STABILITY: f64 = 0.1;

#[allow(
    clippy::disallowed_methods,
    reason = "the steps of a tuning that has begun must not change"
)]
impl Gains {
    /// Returns the probe of step `k` of `all`, as a share of the range.
    pub(crate) fn probe_at(&self, k: u64, all: u64) -> f64 {
        self.probe * (all as f64 / (k + 1) as f64).powf(GAMMA)
    }

    /// Returns the move after a won duel in step `k` of `all`, as a share of the range.
    pub(crate) fn move_at(&self, k: u64, all: u64) -> f64 {
        let stability = STABILITY * all as f64;
        let growth = ((stability + all as f64) / (stability + (k + 1) as f64)).powf(ALPHA);
        let a = self.rate * self.probe * self.probe * growth;
        a / self.probe_at(k, all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_narrows_with_more_duels() {
        let duels =
            |count: usize| (0..count).map(|n| [1.0, 0.0, 0.0, -0.5][n % 4]).collect::<Vec<_>>();
        let few = Verdict::of(&duels(40)).unwrap();
        let many = Verdict::of(&duels(4000)).unwrap();
        assert!((few.mean - 0.125).abs() < 1e-9 && (many.mean - 0.125).abs() < 1e-9);
        assert!(few.low < 0.0 && few.high > 0.25, "{few:?}");
        assert!(many.low > 0.1 && many.high < 0.15, "{many:?}");
        let elo = many.elo();
        assert!((elo[0] - 43.7).abs() < 0.1 && elo[1] < elo[0] && elo[0] < elo[2], "{elo:?}");
        assert_eq!(Verdict::of(&[]), None);
    }

    #[test]
    fn a_few_equal_results_prove_little() {
        let won = Verdict::of(&[1.0; 2]).unwrap();
        assert!(won.low < 0.0, "{won:?}");
        assert!(Verdict::of(&[1.0; 30]).unwrap().low > 0.75);
    }

    #[test]
    fn gains_fall_to_what_was_given() {
        let gains = Gains { probe: 0.1, rate: 0.05 };
        assert!((gains.probe_at(999, 1000) - 0.1).abs() < 1e-12);
        assert!((gains.move_at(999, 1000) - 0.005).abs() < 1e-12);
        let moves: Vec<f64> = (0..1000).map(|k| gains.move_at(k, 1000)).collect();
        // The probe falls faster than A at first.
        assert!(moves.windows(2).all(|two| two[1] < two[0] * 1.08), "they hardly ever grow");
        assert!(moves[0] > moves[999] && gains.probe_at(0, 1000) > 0.19);
    }
}
