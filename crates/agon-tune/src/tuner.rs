//! Duels out, results in.

use std::collections::{BTreeMap, VecDeque};

use agon_core::Seed;

use crate::{Gains, Param, spsa::Spsa};

/// So many duels are on their way at most: the one with number n is made from the results of those
/// before n - 16. So many can be played at a time, and it does not matter which of them are over
/// first.
pub const WINDOW: u64 = 16;

/// The part of the tuning, at its end, over which values are averaged: a quarter.
const LAST: u64 = 4;

/// Two versions of a bot that are to be compared; values are in steps of the parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Duel {
    /// Its number, from 0.
    pub number: u64,
    /// The values of the one version.
    pub plus: Vec<i64>,
    /// The values of the other version.
    pub minus: Vec<i64>,
    /// Which values of `plus` were meant to be greater than those of `minus`.
    pub(crate) up: Vec<bool>,
}

/// A tuning on its way: a function of what it was begun with and of the results.
#[derive(Clone, Debug)]
pub struct Tuner {
    spsa: Spsa,
    all: u64,
    /// Duels that are still to be handed out.
    waiting: VecDeque<Duel>,
    /// Those whose results have not been learnt from.
    open: VecDeque<Duel>,
    /// Results that came before those of earlier duels.
    early: BTreeMap<u64, f64>,
    /// Where the middle was at the beginning and after each result, in steps.
    course: Vec<Vec<f64>>,
}

impl Tuner {
    /// A tuning of `all` duels that begins at these values, in steps.
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

    /// The next duel that can be played; `None` if results are needed first, or all are handed out.
    pub fn next_duel(&mut self) -> Option<Duel> {
        self.waiting.pop_front()
    }

    /// The result of a duel that was handed out: the points of `plus` minus those of `minus`, from
    /// -1 to 1. A second one of the same duel counts for nothing.
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

    /// How many results have been learnt from.
    pub fn done(&self) -> u64 {
        self.course.len() as u64 - 1
    }

    /// Whether all have.
    pub fn is_over(&self) -> bool {
        self.done() == self.all
    }

    /// The parameters.
    pub fn params(&self) -> &[Param] {
        self.spsa.params()
    }

    /// Where the middle was at the beginning and after each result, in steps.
    pub fn course(&self) -> &[Vec<f64>] {
        &self.course
    }

    /// For each parameter the mean over the last quarter of the course, in steps.
    ///
    /// There is no error beside it: the values of one course hang together, so their spread is not
    /// how far another seed would lead.
    pub fn last_means(&self) -> Vec<f64> {
        let begin = self.course.len() - self.course.len().div_ceil(LAST as usize);
        let last = &self.course[begin..];
        let count = last.len() as f64;
        let mean = |param: usize| last.iter().map(|point| point[param]).sum::<f64>() / count;
        (0..self.params().len()).map(mean).collect()
    }

    /// The best values so far, in steps: what the last quarter of the course was about.
    pub fn best(&self) -> Vec<i64> {
        self.last_means().into_iter().map(|mean| mean.round() as i64).collect()
    }
}
