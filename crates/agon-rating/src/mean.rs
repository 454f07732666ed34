//! The mean of bounded scores, with an interval that also holds for few or equal scores.
//!
//! Reports judge the advantages of seats with it, and `agon tune` its verification.
//!
//! A mean is in the interval if the most likely distribution with that mean explains the scores
//! nearly as well as the scores themselves. That is, twice the logarithm of the ratio of both
//! likelihoods is at most the quantile of the χ² distribution (A. Owen, "Empirical likelihood ratio
//! confidence intervals for a single functional", Biometrika 75, 1988). It assumes no distribution
//! of the scores.

use crate::normal::{half_width, square};
use crate::sprt::Observed;

/// The mean of independent scores from 0 to 1, with an interval for all future scores.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeanInterval {
    /// The mean of the scores.
    pub mean: f64,
    /// The lower end of its interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// The share of an observation that is added at an end before the end is searched.
///
/// Without it equal scores would have an interval without width.
const IMAGINED: f64 = 0.5;

/// Scores that differ by less are equal: they are sums of thirds and the like.
const SAME: f64 = 1e-9;

/// Halvings of an interval, down to the precision of numbers.
const STEPS: usize = 60;

impl MeanInterval {
    /// Returns the mean of `scores`, and an interval that holds the true one with `confidence`.
    ///
    /// For all-or-nothing scores it is close to the mid-p interval of the binomial distribution.
    /// `None` if there is no score, or one is outside of 0 to 1.
    pub fn of(scores: &[f64], confidence: f64) -> Option<MeanInterval> {
        if scores.is_empty() || !scores.iter().all(|score| (0.0..=1.0).contains(score)) {
            return None;
        }
        let counts = counted(scores);
        let mean = scores.iter().sum::<f64>() / scores.len() as f64;
        let limit = square(half_width(confidence));
        let low = end(&counts, mean, 0.0, limit);
        let high = end(&counts, mean, 1.0, limit);
        Some(MeanInterval { mean, low, high })
    }
}

/// Returns the scores in order, each with its count.
fn counted(scores: &[f64]) -> Vec<(f64, f64)> {
    let mut sorted = scores.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let mut counts: Vec<(f64, f64)> = Vec::new();
    for score in sorted {
        match counts.last_mut() {
            Some((last, count)) if score - *last < SAME => *count += 1.0,
            _ => counts.push((score, 1.0)),
        }
    }
    counts
}

/// Returns the end of the interval towards `side`, which is 0 or 1.
///
/// The imagined observation is at this side alone. A second one at the other side would exclude
/// means near `side` that a few scores away from it do not exclude.
fn end(counts: &[(f64, f64)], mean: f64, side: f64, limit: f64) -> f64 {
    let observed = with_imagined(counts, side);
    // All scores are at this side, so nothing speaks against any mean between.
    if observed.scores.len() == 1 {
        return side;
    }
    let mut inside = observed.moments().0;
    let mut outside = side;
    for _ in 0..STEPS {
        let middle = f64::midpoint(inside, outside);
        if observed.deviance(middle) <= limit {
            inside = middle;
        } else {
            outside = middle;
        }
    }
    // Only rounding could put the mean outside.
    if side > mean { inside.max(mean) } else { inside.min(mean) }
}

fn with_imagined(counts: &[(f64, f64)], side: f64) -> Observed {
    let mut counts = counts.to_vec();
    match counts.iter_mut().find(|(score, _)| (score - side).abs() < SAME) {
        Some((_, count)) => *count += IMAGINED,
        None => counts.push((side, IMAGINED)),
    }
    counts.sort_unstable_by(|one, other| one.0.total_cmp(&other.0));
    Observed::weighted(counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(scores: &[f64]) -> [f64; 2] {
        let interval = MeanInterval::of(scores, 0.95).unwrap();
        [interval.low, interval.high]
    }

    /// Makes this many ones, and zeros up to `all`.
    fn coins(ones: usize, all: usize) -> Vec<f64> {
        (0..all).map(|at| if at < ones { 1.0 } else { 0.0 }).collect()
    }

    fn near(found: [f64; 2], expected: [f64; 2], slack: f64) {
        let close = found.iter().zip(expected).all(|(one, other)| (one - other).abs() <= slack);
        assert!(close, "{found:?}, not {expected:?}");
    }

    #[test]
    fn ends_have_the_deviance_of_the_confidence() {
        // The likelihood ratio of a binomial with another half of a success, or half of a failure.
        let deviance = |ones: f64, zeros: f64, chance: f64| {
            let all = ones + zeros;
            let part = |count: f64, chance: f64| count * libm::log(count / all / chance);
            2.0 * (part(ones, chance) + part(zeros, 1.0 - chance))
        };
        let [low, high] = interval(&coins(7, 20));
        assert!((deviance(7.0, 13.5, low) - 3.841_458_8).abs() < 1e-6, "{low}");
        assert!((deviance(7.5, 13.0, high) - 3.841_458_8).abs() < 1e-6, "{high}");
    }

    #[test]
    fn all_or_nothing_is_near_the_mid_p_interval() {
        // The roots of P(X < k) + P(X = k) / 2 = 0.975 and 0.025.
        near(interval(&coins(0, 10)), [0.0, 0.2589], 0.03);
        near(interval(&coins(1, 10)), [0.0050, 0.4035], 0.02);
        near(interval(&coins(5, 10)), [0.2120, 0.7880], 0.01);
        near(interval(&coins(24, 50)), [0.3446, 0.6176], 0.005);
    }

    #[test]
    fn equal_scores_have_an_interval() {
        let [low, high] = interval(&[1.0; 20]);
        assert!(high == 1.0 && (0.8..0.9).contains(&low), "{low} to {high}");
        let [low, high] = interval(&[0.0; 20]);
        assert!(low == 0.0 && (0.1..0.2).contains(&high), "{low} to {high}");
        let [low, high] = interval(&[0.5; 20]);
        assert!((low + high - 1.0).abs() < 1e-9 && (0.40..0.45).contains(&low), "{low} to {high}");
        let [low, high] = interval(&[0.5]);
        assert!(low < 0.1 && high > 0.9, "{low} to {high}");
    }

    #[test]
    fn more_scores_narrow_it_and_the_mean_stays_inside() {
        let shares = |count: usize| (0..count).map(|at| (at % 4) as f64 / 3.0).collect::<Vec<_>>();
        let mut last = 1.0;
        for count in [4, 40, 400, 4_000] {
            let MeanInterval { mean, low, high } = MeanInterval::of(&shares(count), 0.95).unwrap();
            assert!(low < mean && mean < high && high - low < last, "{low} to {high}");
            last = high - low;
        }
        // Expected by the normal distribution.
        let half = 1.959_964 * (5.0f64 / 36.0 / 4_000.0).sqrt();
        assert!((last - 2.0 * half).abs() < 0.03 * half, "{last}");
    }

    #[test]
    fn other_confidences_nest() {
        let wide = MeanInterval::of(&coins(3, 9), 0.99).unwrap();
        let narrow = MeanInterval::of(&coins(3, 9), 0.5).unwrap();
        assert!(wide.low < narrow.low && narrow.high < wide.high, "{wide:?} {narrow:?}");
    }

    #[test]
    fn what_is_no_score_has_no_mean() {
        assert_eq!(MeanInterval::of(&[], 0.95), None);
        assert_eq!(MeanInterval::of(&[0.5, 1.5], 0.95), None);
        assert_eq!(MeanInterval::of(&[f64::NAN], 0.95), None);
    }
}
