//! The fit: Newton's method on a concave function, with steps halved as long as they overshoot.

use super::{
    Choices, Totals,
    luce::Moments,
    sparse::{Symmetric, dot},
};

/// A fit is exact enough when no estimate would move by this part of its standard error, squared.
const DECREMENT: f64 = 1e-14;
const STEPS: usize = 200;
/// No estimate moves more than this at once.
const LONGEST: f64 = 4.0;
/// Without a maximum, steps go on until probabilities of losses are lost in rounding, when strengths are some
/// 33 apart and so 16 off their mean. Strengths that far off, 2600 Elo points, are taken for that.
const RUNAWAY: f64 = 15.0;

/// The estimates at the maximum.
pub(crate) struct Fit {
    /// Strengths of the players with mean 0, then logarithms of the odds of ties of each order above 1.
    pub(crate) values: Vec<f64>,
    /// Newton steps done.
    pub(crate) steps: usize,
}

/// Why there is no fit.
pub(crate) enum Halt {
    /// The likelihood has no finite maximum, or none that can be told from one at infinity.
    Runaway,
    /// It has one, but this many steps did not lead there.
    Stuck(usize),
}

/// Finds the maximum of the log-likelihood plus, for each parameter x, `prior` / 2 times
/// ln σ(x) + ln σ(-x) with the logistic σ.
pub(crate) struct Solver<'a> {
    choices: &'a Choices,
    prior: f64,
    /// Minus the second derivative where it was last computed.
    information: Symmetric,
    /// The parameters of each set and then the places of its pairs of them in `information`.
    indices: Vec<u32>,
    moments: Moments,
    theta: Vec<f64>,
}

fn center(values: &mut [f64]) {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    values.iter_mut().for_each(|value| *value -= mean);
}

/// The function at a point.
struct Point {
    height: f64,
    /// How much of `height` may be rounding: its terms may be large and cancel.
    rounding: f64,
    gradient: Vec<f64>,
}

impl<'a> Solver<'a> {
    /// A solver for sums over these choices.
    pub(crate) fn new(choices: &'a Choices, prior: f64) -> Solver<'a> {
        let mut information = Symmetric::new(choices.parameters());
        let mut indices = Vec::new();
        for set in &choices.sets {
            let ties = Moments::size(set.len(), &choices.orders) - set.len();
            let parameters: Vec<u32> =
                set.iter().copied().chain((0..ties).map(|tie| (choices.players + tie) as u32)).collect();
            indices.extend(&parameters);
            for (at, &one) in parameters.iter().enumerate() {
                indices
                    .extend(parameters[at + 1..].iter().map(|&other| information.entry(one, other) as u32));
            }
        }
        let (moments, theta) = (Moments::default(), Vec::new());
        Solver { choices, prior, information, indices, moments, theta }
    }

    /// The fit to `totals`, beginning at `start`.
    pub(crate) fn fit(&mut self, totals: &Totals, start: &[f64]) -> Result<Fit, Halt> {
        let players = self.choices.players;
        let mut values = start.to_vec();
        let mut last = f64::INFINITY;
        for step in 1..=STEPS {
            let Point { height, rounding, mut gradient } = self.derive(totals, &values);
            if self.prior == 0.0 {
                // Nothing holds the common level, along which there would be a slope by rounding only.
                center(&mut gradient[..players]);
            }
            let mut direction = self.information.solve(&gradient);
            if self.prior == 0.0 {
                center(&mut direction[..players]);
            }
            let decrement = dot(&gradient, &direction);
            let advanced = self.climb(totals, &values, &direction, height, decrement, rounding);
            // The decrement falls faster and faster, until rounding keeps it from it.
            let slow = advanced.is_none() || decrement > last / 4.0;
            // Where there is no maximum, the gain of a step vanishes but the step does not.
            let still = self.prior > 0.0 || direction.iter().all(|step| step.abs() < 0.01);
            let found = still && (decrement < DECREMENT || (slow && decrement < rounding.max(1e-8)));
            last = decrement;
            values = advanced.unwrap_or(values);
            if self.prior == 0.0 {
                center(&mut values[..players]);
                if values.iter().any(|value| value.abs() > RUNAWAY) {
                    return Err(Halt::Runaway);
                }
            }
            if found {
                center(&mut values[..players]);
                return Ok(Fit { values, steps: step });
            }
        }
        // Slow, but there: off by less than a hundredth of a standard error.
        if self.prior > 0.0 && last < 1e-4 {
            center(&mut values[..players]);
            return Ok(Fit { values, steps: STEPS });
        }
        Err(Halt::Stuck(STEPS))
    }

    /// Fisher's information at a fit, minus the second derivative of the function there, row by row.
    pub(crate) fn information(&mut self, totals: &Totals, fit: &Fit) -> Vec<f64> {
        self.derive(totals, &fit.values);
        self.information.dense()
    }

    /// The function and its gradient; the second derivative goes to `information`.
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
        if self.prior > 0.0 {
            for (at, value) in values.iter().enumerate() {
                let likely = 1.0 / (1.0 + libm::exp(-value));
                gradient[at] += self.prior * (0.5 - likely);
                self.information.diagonal[at] += self.prior * likely * (1.0 - likely);
            }
        }
        let rounding = 1e-15 * (1.0 + size_of_terms);
        Point { height: height + self.log_prior(values), rounding, gradient }
    }

    fn height(&mut self, totals: &Totals, values: &[f64]) -> f64 {
        let (strengths, gamma) = values.split_at(self.choices.players);
        let mut height = dot(values, &totals.observed);
        for (set, &count) in self.choices.sets.iter().zip(&totals.counts) {
            if count > 0.0 {
                self.theta.clear();
                self.theta.extend(set.iter().map(|&player| strengths[player as usize]));
                height -= count * self.moments.only_log_sum(&self.theta, &self.choices.orders, gamma);
            }
        }
        height + self.log_prior(values)
    }

    fn log_prior(&self, values: &[f64]) -> f64 {
        // ln σ(x) + ln σ(-x) = -|x| - 2 ln(1 + e^-|x|)
        let one = |value: &f64| -value.abs() - 2.0 * libm::log1p(libm::exp(-value.abs()));
        if self.prior > 0.0 { self.prior / 2.0 * values.iter().map(one).sum::<f64>() } else { 0.0 }
    }

    /// The first of the whole, half, quarter … step that climbs, if any does; a whole one is not too long.
    fn climb(
        &mut self,
        totals: &Totals,
        values: &[f64],
        direction: &[f64],
        height: f64,
        decrement: f64,
        rounding: f64,
    ) -> Option<Vec<f64>> {
        // Far off the maximum, where a probability is almost 0, the curvature is too, and steps too long.
        let longest = direction.iter().fold(0.0, |longest: f64, step| longest.max(step.abs()));
        let mut length = if longest > LONGEST { LONGEST / longest } else { 1.0 };
        for _ in 0..40 {
            let next: Vec<f64> = values.iter().zip(direction).map(|(v, d)| v + length * d).collect();
            // Near the maximum the gain is lost in rounding, and the whole step is right.
            if decrement < rounding || self.height(totals, &next) >= height + 1e-4 * length * decrement {
                return Some(next);
            }
            length /= 2.0;
        }
        None
    }
}
