//! Fits strengths by Newton's method on a concave function, with shorter steps against
//! overshooting.

use super::sparse::{Symmetric, dot};
use super::{Choices, Totals, luce::Moments};
use crate::RatingError;

/// The squared share of a standard error that an exact fit's estimates may still move.
const EXACT: f64 = 1e-14;
/// The same for a fit that only leads to another one.
///
/// Before a last step no estimate would move by a tenth of its standard error.
const ROUGH: f64 = 1e-2;
/// Below this no step is too long: no estimate moves by a hundredth of its standard error.
const SURE: f64 = 1e-4;
const MAX_STEPS: usize = 200;
/// The largest move of an estimate in one step.
const MAX_STEP: f64 = 4.0;

/// Imagined results that are added to the log-likelihood, so that it has a maximum.
///
/// A weight w on a value x adds w / 2 times ln σ(x) + ln σ(-x), with the logistic σ. These are w /
/// 2 wins and w / 2 losses at odds of e^x.
#[derive(Clone, Debug, Default)]
pub(crate) struct Penalty {
    /// The weight of each player's strength.
    pub(crate) players: f64,
    /// The weight of the logarithm of each tie's odds.
    pub(crate) ties: f64,
    /// Duels between players, half won and half lost.
    pub(crate) duels: Vec<Duel>,
}

/// `weight` imagined duels of two players, on the difference of their strengths.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Duel {
    pub(crate) one: u32,
    pub(crate) other: u32,
    pub(crate) weight: f64,
}

impl Penalty {
    /// Returns whether it fixes the players' common level.
    fn holds_level(&self) -> bool {
        self.players > 0.0
    }
}

impl Duel {
    /// Returns its addition to the log-likelihood if the first is ahead by `lead`.
    pub(crate) fn height(&self, lead: f64) -> f64 {
        self.weight * halves(lead)
    }

    /// Returns the probability that the first wins.
    pub(crate) fn chance(lead: f64) -> f64 {
        1.0 / (1.0 + libm::exp(-lead))
    }
}

/// Returns half of ln σ(x) + ln σ(-x), which is -|x| - 2 ln(1 + e^-|x|).
fn halves(x: f64) -> f64 {
    -x.abs() / 2.0 - libm::log1p(libm::exp(-x.abs()))
}

/// Finds the maximum of the log-likelihood plus a penalty.
pub(crate) struct Solver<'a> {
    choices: &'a Choices,
    penalty: Penalty,
    /// The entries of `information` where the two players of each imagined duel meet.
    duel_entries: Vec<u32>,
    /// Minus the second derivative at the last point where it was computed.
    information: Symmetric,
    /// The parameters of each set, then the places of its pairs in `information`.
    indices: Vec<u32>,
    moments: Moments,
    theta: Vec<f64>,
}

fn center(values: &mut [f64]) {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    values.iter_mut().for_each(|value| *value -= mean);
}

/// The function's value and slope at a point.
struct Point {
    height: f64,
    /// The share of `height` that may be rounding: its terms may be large and cancel.
    rounding: f64,
    gradient: Vec<f64>,
}

impl<'a> Solver<'a> {
    /// Makes a solver for sums over these choices.
    pub(crate) fn new(choices: &'a Choices, penalty: Penalty) -> Solver<'a> {
        let mut information = Symmetric::new(choices.parameters());
        information.reserve(choices.sets.len());
        let mut indices = Vec::new();
        for set in &choices.sets {
            let ties = Moments::size(set.len(), &choices.orders) - set.len();
            let parameters: Vec<u32> = set
                .iter()
                .copied()
                .chain((0..ties).map(|tie| (choices.players + tie) as u32))
                .collect();
            indices.extend(&parameters);
            for (at, &one) in parameters.iter().enumerate() {
                indices.extend(
                    parameters[at + 1..].iter().map(|&other| information.entry(one, other) as u32),
                );
            }
        }
        let mut solver = Solver {
            choices,
            penalty: Penalty::default(),
            duel_entries: Vec::new(),
            information,
            indices,
            moments: Moments::default(),
            theta: Vec::new(),
        };
        solver.set_penalty(penalty);
        solver
    }

    /// Replaces the penalty.
    pub(crate) fn set_penalty(&mut self, penalty: Penalty) {
        let places = penalty.duels.iter().map(|duel| (duel.one, duel.other));
        self.duel_entries = self.information.entries_of(places);
        self.penalty = penalty;
    }

    /// Returns the imagined duels of the penalty.
    pub(crate) fn duels(&self) -> &[Duel] {
        &self.penalty.duels
    }

    /// Fits to `totals`, starting at `start`.
    ///
    /// Returns the strengths of the players with mean 0, then logarithms of the odds of ties of
    /// each order above 1. Without a penalty there must be a maximum.
    pub(crate) fn fit(&mut self, totals: &Totals, start: &[f64]) -> Result<Vec<f64>, RatingError> {
        self.fit_to(EXACT, totals, start)
    }

    /// Does the same less exactly.
    pub(crate) fn fit_roughly(
        &mut self,
        totals: &Totals,
        start: &[f64],
    ) -> Result<Vec<f64>, RatingError> {
        self.fit_to(ROUGH, totals, start)
    }

    fn fit_to(
        &mut self,
        enough: f64,
        totals: &Totals,
        start: &[f64],
    ) -> Result<Vec<f64>, RatingError> {
        let players = self.choices.players;
        let mut values = start.to_vec();
        let mut last = f64::INFINITY;
        for _ in 0..MAX_STEPS {
            let Point { height, rounding, mut gradient } = self.derive(totals, &values);
            if !self.penalty.holds_level() {
                // Nothing fixes the common level. Any slope along it is rounding.
                center(&mut gradient[..players]);
            }
            let mut direction = self.information.solve(&gradient);
            if !self.penalty.holds_level() {
                center(&mut direction[..players]);
            }
            let decrement = dot(&gradient, &direction);
            let advanced = self.climb(totals, &values, &direction, height, decrement, rounding);
            // The decrement falls faster and faster, until rounding stops it.
            let slow = advanced.is_none() || decrement > last / 4.0;
            let found = decrement < enough || (slow && decrement < rounding.max(1e-8));
            last = decrement;
            values = advanced.unwrap_or(values);
            if !self.penalty.holds_level() {
                center(&mut values[..players]);
            }
            if found {
                // Once more for what rounding left: published tables are compared to the last bit.
                center(&mut values[..players]);
                return Ok(values);
            }
        }
        // Slow, but there: the error is less than a hundredth of a standard error.
        if last < 1e-4 {
            center(&mut values[..players]);
            return Ok(values);
        }
        Err(RatingError::Stuck { players, steps: MAX_STEPS })
    }

    /// Returns Fisher's information at a fit: minus the second derivative of the function there.
    pub(crate) fn information(&mut self, totals: &Totals, values: &[f64]) -> &Symmetric {
        self.derive(totals, values);
        &self.information
    }

    /// Returns the function and its gradient; the second derivative goes to `information`.
    fn derive(&mut self, totals: &Totals, values: &[f64]) -> Point {
        let (strengths, gamma) = values.split_at(self.choices.players);
        let mut gradient = totals.observed.clone();
        let mut height = dot(values, &gradient);
        let mut size_of_terms: f64 = values.iter().zip(&gradient).map(|(v, g)| (v * g).abs()).sum();
        self.information.clear();
        let mut indices = &self.indices[..];
        for (set, &count) in self.choices.sets.iter().zip(&totals.counts) {
            let size = Moments::size(set.len(), &self.choices.orders);
            let (parameters, rest) = indices.split_at(size);
            let (pairs, rest) = rest.split_at(size * (size - 1) / 2);
            indices = rest;
            if count == 0.0 {
                continue;
            }
            self.theta.clear();
            self.theta.extend(set.iter().map(|&player| strengths[player as usize]));
            self.moments.compute(&self.theta, &self.choices.orders, gamma);
            height -= count * self.moments.log_sum;
            size_of_terms += (count * self.moments.log_sum).abs();
            let mut pairs = pairs.iter();
            for (at, &one) in parameters.iter().enumerate() {
                gradient[one as usize] -= count * self.moments.mean[at];
                let row = &self.moments.covariance[at * size..(at + 1) * size];
                self.information.diagonal[one as usize] += count * row[at];
                for (value, &pair) in row[at + 1..].iter().zip(&mut pairs) {
                    self.information.entries[pair as usize] += count * value;
                }
            }
        }
        self.derive_penalty(values, &mut gradient);
        let rounding = 1e-15 * (1.0 + size_of_terms);
        Point { height: height + self.log_prior(values), rounding, gradient }
    }

    fn derive_penalty(&mut self, values: &[f64], gradient: &mut [f64]) {
        for (at, value) in values.iter().enumerate() {
            let weight = self.weight(at);
            let likely = Duel::chance(*value);
            gradient[at] += weight * (0.5 - likely);
            self.information.diagonal[at] += weight * likely * (1.0 - likely);
        }
        for (duel, &entry) in self.penalty.duels.iter().zip(&self.duel_entries) {
            let [one, other] = [duel.one as usize, duel.other as usize];
            let likely = Duel::chance(values[one] - values[other]);
            let curvature = duel.weight * likely * (1.0 - likely);
            gradient[one] += duel.weight * (0.5 - likely);
            gradient[other] -= duel.weight * (0.5 - likely);
            self.information.diagonal[one] += curvature;
            self.information.diagonal[other] += curvature;
            self.information.entries[entry as usize] -= curvature;
        }
    }

    /// Returns the weight of a parameter on its own.
    fn weight(&self, at: usize) -> f64 {
        if at < self.choices.players { self.penalty.players } else { self.penalty.ties }
    }

    /// Returns the function at a point.
    pub(crate) fn height(&mut self, totals: &Totals, values: &[f64]) -> f64 {
        let (strengths, gamma) = values.split_at(self.choices.players);
        let mut height = dot(values, &totals.observed);
        for (set, &count) in self.choices.sets.iter().zip(&totals.counts) {
            if count > 0.0 {
                self.theta.clear();
                self.theta.extend(set.iter().map(|&player| strengths[player as usize]));
                height -=
                    count * self.moments.only_log_sum(&self.theta, &self.choices.orders, gamma);
            }
        }
        height + self.log_prior(values)
    }

    fn log_prior(&self, values: &[f64]) -> f64 {
        let own = values.iter().enumerate().filter(|&(at, _)| self.weight(at) > 0.0);
        let own: f64 = own.map(|(at, value)| self.weight(at) * halves(*value)).sum();
        let lead = |duel: &Duel| values[duel.one as usize] - values[duel.other as usize];
        own + self.penalty.duels.iter().map(|duel| duel.height(lead(duel))).sum::<f64>()
    }

    /// Returns the first of the whole, half, quarter … step that climbs, if any does.
    ///
    /// The whole step must not be too long.
    fn climb(
        &mut self,
        totals: &Totals,
        values: &[f64],
        direction: &[f64],
        height: f64,
        decrement: f64,
        rounding: f64,
    ) -> Option<Vec<f64>> {
        // Far from the maximum, where a probability is almost 0, the curvature is almost 0 as well,
        // and steps are too long.
        let longest = direction.iter().fold(0.0, |longest: f64, step| longest.max(step.abs()));
        let mut length = if longest > MAX_STEP { MAX_STEP / longest } else { 1.0 };
        for _ in 0..40 {
            let next: Vec<f64> =
                values.iter().zip(direction).map(|(v, d)| v + length * d).collect();
            // Near the maximum rounding may hide the gain, and the whole step is right.
            if decrement < rounding.max(SURE)
                || self.height(totals, &next) >= height + 1e-4 * length * decrement
            {
                return Some(next);
            }
            length /= 2.0;
        }
        None
    }
}
