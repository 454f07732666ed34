//! The tuner, the heart of `agon tune`: hands out duels between versions, and takes results.

use std::collections::{BTreeMap, VecDeque};

use agon_core::{Purpose, Rng, Seed};

use crate::tune::{Gains, Param};

/// The most duels at a time: duel n depends on the results of those before n - 16.
///
/// So the order in which the open ones end does not matter.
pub const WINDOW: u64 = 16;

/// The divisor for the last part of the tuning, which values are averaged over: a quarter.
const LAST: u64 = 4;

/// A tuning in progress. It depends only on its start and on the results.
#[derive(Clone, Debug)]
pub struct Tuner {
    spsa: Spsa,
    all: u64,
    /// Duels that have not been handed out.
    waiting: VecDeque<Duel>,
    /// Duels whose results have not been learned.
    open: VecDeque<Duel>,
    /// Results that came before those of earlier duels.
    early: BTreeMap<u64, f64>,
    /// The middle at the beginning and after each result, in steps.
    course: Vec<Vec<f64>>,
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
        let spsa = Spsa::new(params, &start, gains, all, seed);
        let waiting: VecDeque<Duel> =
            (0..all.min(WINDOW)).map(|number| spsa.duel(number)).collect();
        let course = vec![spsa.middle().to_vec()];
        Tuner { spsa, all, open: waiting.clone(), waiting, early: BTreeMap::new(), course }
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
            self.spsa.learn(&duel, difference);
            self.course.push(self.spsa.middle().to_vec());
            let next = duel.number + WINDOW;
            if next < self.all {
                let duel = self.spsa.duel(next);
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

    /// Returns the parameters.
    pub fn params(&self) -> &[Param] {
        self.spsa.params()
    }

    /// Returns the middle at the beginning and after each result, in steps.
    pub fn course(&self) -> &[Vec<f64>] {
        &self.course
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
        (0..self.params().len()).map(mean).collect()
    }

    /// Returns the best values so far, in steps: the centre of the course's last quarter.
    pub fn best(&self) -> Vec<i64> {
        self.last_means().into_iter().map(|mean| mean.round() as i64).collect()
    }
}

/// The state of the method.
#[derive(Clone, Debug)]
pub(crate) struct Spsa {
    params: Vec<Param>,
    gains: Gains,
    /// The total number of duels.
    all: u64,
    seed: Seed,
    /// The middle, in steps of the parameters.
    middle: Vec<f64>,
}

impl Spsa {
    pub(crate) fn new(
        params: Vec<Param>,
        start: &[i64],
        gains: Gains,
        all: u64,
        seed: Seed,
    ) -> Spsa {
        let middle = start.iter().map(|&steps| steps as f64).collect();
        Spsa { params, gains, all, seed, middle }
    }

    pub(crate) fn params(&self) -> &[Param] {
        &self.params
    }

    pub(crate) fn middle(&self) -> &[f64] {
        &self.middle
    }

    /// Returns the duel with this number around the current middle. It depends on nothing else.
    pub(crate) fn duel(&self, number: u64) -> Duel {
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
    pub(crate) fn learn(&mut self, duel: &Duel, difference: f64) {
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
