//! The probabilities of each player's ranks, with strengths drawn from the estimates.
//!
//! The rows of a table show them.
//!
//! Estimates scatter more than strengths, since each has an error of its own: the apparent best of
//! many was also lucky. So strengths are modelled as drawn from a distribution of unknown width,
//! and draws are pulled to its mean accordingly (Efron & Morris, "Stein's estimation rule and its
//! competitors", Journal of the American Statistical Association 68, 1973).

use agon_core::{Purpose, Rng, Seed};

use super::{Base, Likelihood};
use crate::normal::{self, square};
use crate::{fit::dot, group::RankDraws};

/// The number of widths of the distribution of strengths that are compared.
const WIDTHS: usize = 60;

/// The number of players below which the distribution of strengths is unknown.
const ENOUGH: usize = 4;

/// Nearly Student's distribution with two degrees of freedom, as a mixture of normal ones.
///
/// The values are widths and frequencies. Now and then a bot is far better than all others.
const TAILS: [(f64, f64); 8] = [
    (0.60, 0.125),
    (0.77, 0.125),
    (0.93, 0.125),
    (1.10, 0.125),
    (1.32, 0.125),
    (1.63, 0.125),
    (2.19, 0.125),
    (5.00, 0.125),
];

/// The confidence of the intervals that draws are based on.
const CONFIDENCE: f64 = 0.95;

/// Knowledge about a player's strength: the ends of half a normal distribution to each side.
#[derive(Clone, Copy, Debug)]
struct Known {
    middle: f64,
    below: f64,
    above: f64,
}

impl Likelihood {
    /// Draws this many rankings.
    pub(crate) fn ranks(&self, samples: usize, seed: Seed) -> RankDraws {
        let players = self.strengths().len();
        if players == 2 {
            let ahead = (samples as f64 * self.superiority(0, 1)).round() as usize;
            return RankDraws::of_two(ahead, samples);
        }
        let base = Base::new((0..players).collect(), players);
        let ends = self.intervals(&base, CONFIDENCE);
        let middles = self.strengths();
        // Half of a normal distribution holds as much as the interval to that side.
        let width = normal::half_width(CONFIDENCE);
        let known = |(&middle, &(low, high)): (&f64, &(f64, f64))| Known {
            middle,
            below: (middle - low) / width,
            above: (high - middle) / width,
        };
        let known: Vec<Known> = middles.iter().zip(&ends).map(known).collect();
        let prior = Widths::new(&known);
        let factor = self.variances.full().map(|covariance| correlations(covariance, players));
        let mut draws = RankDraws::new(players);
        let mut noise = vec![0.0; players];
        let mut rng = seed.stream(Purpose::Sample, 0);
        // For each player and each width that was drawn: with many players, few widths are likely.
        let mut chances: Vec<Option<Vec<[f64; TAILS.len()]>>> = vec![None; prior.steps.len()];
        for _ in 0..samples {
            normal::fill(&mut rng, &mut noise);
            let step = prior.draw(&mut rng);
            let (width, mean, _) = prior.steps[step];
            let all = || known.iter().map(|known| known.chances(mean, width)).collect();
            let chances = chances[step].get_or_insert_with(all);
            let value = |player: usize| {
                let error = factor.as_ref().map_or(noise[player], |factor| {
                    let row = &factor[player * players..player * players + player + 1];
                    dot(row, &noise[..=player])
                });
                known[player].draw(error, mean, width, &chances[player], &mut rng)
            };
            let values: Vec<f64> = (0..players).map(value).collect();
            draws.add(&values);
        }
        draws
    }
}

impl Known {
    /// Returns the standard deviation to the side of `mean`.
    fn towards(&self, mean: f64) -> f64 {
        if self.middle > mean { self.below } else { self.above }
    }

    /// Returns the likelihood of the estimate if strengths scatter around `mean` by `width`.
    ///
    /// There is one for each of the tails.
    fn chances(&self, mean: f64, width: f64) -> [f64; TAILS.len()] {
        let error = self.towards(mean).max(1e-9);
        let off = self.middle - mean;
        TAILS.map(|(factor, share)| {
            let variance = error * error + square(factor * width);
            share * libm::exp(-off * off / variance / 2.0) / variance.sqrt()
        })
    }

    /// Draws a strength from a standard normal error.
    ///
    /// Strengths scatter around `mean` by `width`.
    fn draw(
        &self,
        error: f64,
        mean: f64,
        width: f64,
        chances: &[f64; TAILS.len()],
        rng: &mut Rng,
    ) -> f64 {
        let mut at = normal::uniform(rng);
        let all: f64 = chances.iter().sum();
        let tail = chances.iter().position(|chance| {
            at -= chance / all;
            at <= 0.0
        });
        let scatter = square(width * TAILS[tail.unwrap_or(TAILS.len() - 1)].0);
        let side = square(self.towards(mean));
        let part = if scatter.is_finite() { scatter / (scatter + side) } else { 1.0 };
        let spread = if error < 0.0 { self.below } else { self.above };
        mean + part * (self.middle - mean) + part.sqrt() * spread * error
    }
}

/// Widths of the distribution of strengths, with their likelihoods.
struct Widths {
    /// Width, mean of the strengths, and the sum of the weights up to here.
    steps: Vec<(f64, f64, f64)>,
}

impl Widths {
    /// Compares all widths, which are equally likely before the results are known.
    fn new(known: &[Known]) -> Widths {
        let middle = known.iter().map(|known| known.middle).sum::<f64>() / known.len() as f64;
        if known.len() < ENOUGH {
            return Widths { steps: vec![(f64::INFINITY, middle, 1.0)] };
        }
        let usual =
            known.iter().map(|known| known.towards(middle)).sum::<f64>() / known.len() as f64;
        let step = |number: usize| {
            // From a twentieth of an error to some fifty errors, in equal ratios.
            let width = usual / 20.0 * libm::exp(number as f64 * 7.0 / WIDTHS as f64);
            let (mean, log) = likelihood(known, middle, width);
            (width, mean, log + libm::log(width))
        };
        let mut steps: Vec<(f64, f64, f64)> = (0..WIDTHS).map(step).collect();
        let top = steps.iter().map(|step| step.2).fold(f64::NEG_INFINITY, f64::max);
        let mut sum = 0.0;
        for step in &mut steps {
            sum += libm::exp(step.2 - top);
            step.2 = sum;
        }
        Widths { steps }
    }

    /// Draws the number of a step.
    fn draw(&self, rng: &mut Rng) -> usize {
        let last = self.steps.len() - 1;
        let at = normal::uniform(rng) * self.steps[last].2;
        self.steps.iter().position(|step| at <= step.2).unwrap_or(last)
    }
}

/// Returns the best mean of strengths with this `width`, and the logarithm of its likelihood.
fn likelihood(known: &[Known], middle: f64, width: f64) -> (f64, f64) {
    let mut mean = middle;
    let mut log = 0.0;
    // Players far from the mean count less, once the mean is known.
    for _ in 0..4 {
        log = 0.0;
        let mut weighted = 0.0;
        let mut sum = 0.0;
        for known in known {
            let chances = known.chances(mean, width);
            let all: f64 = chances.iter().sum();
            let error = known.towards(mean).max(1e-9);
            let precision = chances.iter().zip(&TAILS).map(|(chance, (factor, _))| {
                chance / all / (error * error + square(factor * width))
            });
            let precision: f64 = precision.sum();
            weighted += precision * known.middle;
            sum += precision;
            log += libm::log(all.max(f64::MIN_POSITIVE));
        }
        mean = weighted / sum;
        // The mean comes from the same estimates.
        log -= libm::log(sum) / 2.0;
    }
    (mean, log)
}

/// Returns Cholesky's lower factor of the correlations of covariances with row sums 0.
fn correlations(covariance: &[f64], players: usize) -> Vec<f64> {
    let means: Vec<f64> =
        covariance.chunks(players).map(|row| row.iter().sum::<f64>() / players as f64).collect();
    let whole = means.iter().sum::<f64>() / players as f64;
    let centered = |row: usize, column: usize| {
        covariance[row * players + column] - means[row] - means[column] + whole
    };
    let scale: Vec<f64> =
        (0..players).map(|at| 1.0 / centered(at, at).max(f64::MIN_POSITIVE).sqrt()).collect();
    let mut lower = vec![0.0; players * players];
    for row in 0..players {
        for column in 0..=row {
            let one = row * players;
            let other = column * players;
            let done = dot(&lower[one..one + column], &lower[other..other + column]);
            let rest = centered(row, column) * scale[row] * scale[column] - done;
            lower[one + column] = if row == column {
                rest.max(0.0).sqrt()
            } else if lower[other + column] > 1e-6 {
                rest / lower[other + column]
            } else {
                0.0
            };
        }
    }
    lower
}
