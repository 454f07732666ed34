//! The uncertainty of the ratings of a group: intervals, ranks, and who is stronger than whom.
//!
//! It comes from likelihood ratios, Fisher's information, or resamples.

use agon_core::{Purpose, Seed};

use crate::{
    fit::{Choices, Fit, Halt, Penalty, Solver, covariance, dot},
    likelihood::{Base, Likelihood},
    normal,
    rank_draws::RankDraws,
};

/// The uncertainty of a group's ratings, in natural logarithms of odds, without an anchor.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Spread {
    /// From likelihood ratios.
    Likelihood(Box<Likelihood>),
    /// Normal, with the covariances of the players row by row.
    Normal(Vec<f64>),
    /// The estimates of each resample.
    Resamples(Vec<Vec<f64>>),
}

impl Spread {
    /// Uses Fisher's information (row by row) of `parameters`; the players come first.
    pub(crate) fn of_information(
        information: Vec<f64>,
        parameters: usize,
        players: usize,
    ) -> Spread {
        Spread::Normal(covariance(information, parameters, players))
    }

    /// Fits resamples, starting at the fit to all matches.
    pub(crate) fn bootstrap(
        choices: &Choices,
        at: &Fit,
        prior: f64,
        resamples: usize,
        seed: Seed,
    ) -> Result<Spread, Halt> {
        let mut solver = Solver::new(choices, Penalty::even(prior.max(0.1)));
        let one = |number: u64| {
            let mut rng = seed.stream(Purpose::Sample, number);
            let mut times = vec![0; choices.units()];
            for _ in 0..times.len() {
                times[rng.index(choices.units())] += 1;
            }
            let found = solver.fit(&choices.totals(Some(&times)), &at.values)?;
            Ok(found.values[..choices.players].to_vec())
        };
        (0..resamples as u64).map(one).collect::<Result<_, _>>().map(Spread::Resamples)
    }

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
            Spread::Resamples(resamples) => {
                let ends = |player: usize| {
                    let mut values: Vec<f64> = resamples
                        .iter()
                        .map(|resample| resample[player] - base.mean_of(resample))
                        .collect();
                    values.sort_unstable_by(f64::total_cmp);
                    let tail = (1.0 - confidence) / 2.0;
                    (quantile(&values, tail), quantile(&values, 1.0 - tail))
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
            Spread::Resamples(resamples) => {
                let ahead = |resample: &Vec<f64>| match resample[one].total_cmp(&resample[other]) {
                    std::cmp::Ordering::Greater => 1.0,
                    std::cmp::Ordering::Equal => 0.5,
                    std::cmp::Ordering::Less => 0.0,
                };
                resamples.iter().map(ahead).sum::<f64>() / resamples.len() as f64
            }
        }
    }

    /// Returns rankings: `samples` draws, or all resamples.
    pub(crate) fn ranks(&self, estimates: &[f64], samples: usize, seed: Seed) -> RankDraws {
        let players = estimates.len();
        let mut draws = RankDraws::new(players);
        match self {
            Spread::Likelihood(likelihood) => return likelihood.ranks(samples, seed),
            Spread::Normal(covariance) => {
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
            }
            Spread::Resamples(resamples) => {
                resamples.iter().for_each(|resample| draws.add(resample))
            }
        }
        draws
    }
}

/// Returns the variance of the difference between two players.
fn difference(covariance: &[f64], players: usize, one: usize, other: usize) -> f64 {
    let at = |row: usize, column: usize| covariance[row * players + column];
    at(one, one) + at(other, other) - 2.0 * at(one, other)
}

/// Returns a quantile of the sorted values, with straight lines between them.
fn quantile(sorted: &[f64], part: f64) -> f64 {
    let place = part * (sorted.len() - 1) as f64;
    let (low, high) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    low + (high - low) * place.fract()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_lie_between_values() {
        let values = [1.0, 2.0, 4.0, 8.0, 16.0];
        assert_eq!(quantile(&values, 0.5), 4.0);
        assert_eq!(quantile(&values, 0.125), 1.5);
        assert_eq!(quantile(&values, 1.0), 16.0);
    }

    #[test]
    fn ranks_of_equals_are_even_and_those_of_far_apart_certain() {
        let spread = Spread::Normal(vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
        let draws = spread.ranks(&[0.0, 0.0, -50.0], 4_000, Seed::plain(3));
        assert!((0.46..0.54).contains(&draws.probabilities(0)[0]), "{draws:?}");
        assert_eq!(draws.probabilities(2), [0.0, 0.0, 1.0]);
        assert!((spread.superiority(&[0.0, 0.0, -50.0], 0, 1) - 0.5).abs() < 1e-15);
    }
}
