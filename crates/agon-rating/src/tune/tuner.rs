//! The tuner, the heart of `agon tune`: hands out duels between versions, and takes results.

use std::collections::{BTreeMap, VecDeque};

use agon_core::Seed;

use crate::tune::{Duel, Gains, Param, spsa::Spsa};

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
