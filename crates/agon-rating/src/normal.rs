//! The normal distribution: quantiles, probabilities, samples.
//!
//! Intervals and probabilities of ratings need it.

use std::f64::consts::{PI, SQRT_2};

use agon_core::Rng;
use libm::{erfc, exp, log};

/// Returns P(Z ≤ x) of a standard normal Z.
pub(crate) fn cdf(x: f64) -> f64 {
    0.5 * erfc(-x / SQRT_2)
}

/// Returns the density of a standard normal Z.
pub(crate) fn density(x: f64) -> f64 {
    exp(-x * x / 2.0) / (2.0 * PI).sqrt()
}

/// Returns the x with P(Z ≤ x) = `probability`.
pub(crate) fn quantile(probability: f64) -> f64 {
    let tail = probability.min(1.0 - probability);
    if tail <= 0.0 {
        return if probability > 0.5 { f64::INFINITY } else { f64::NEG_INFINITY };
    }
    // Abramowitz & Stegun, "Handbook of mathematical functions", 26.2.22: within 0.003.
    let t = (-2.0 * log(tail)).sqrt();
    let mut x = (2.30753 + 0.27061 * t) / (1.0 + t * (0.99229 + 0.04481 * t)) - t;
    // Halley's method, whose steps cube the error.
    for _ in 0..3 {
        let error = (cdf(x) - tail) / density(x);
        x -= error / (1.0 + x * error / 2.0);
    }
    if probability > 0.5 { -x } else { x }
}

/// Returns a square. The compiler may compute powers in any way.
pub(crate) fn square(x: f64) -> f64 {
    x * x
}

/// Returns half the width of the central interval with this `confidence`.
///
/// It is in standard deviations: 1.96 for 0.95.
pub fn half_width(confidence: f64) -> f64 {
    quantile(0.5 + confidence / 2.0)
}

/// Draws a number from the open interval (0, 1), with 53 random bits.
pub(crate) fn uniform(rng: &mut Rng) -> f64 {
    ((rng.bits() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
}

/// Fills `out` with independent standard normal numbers (Box and Muller 1958).
pub(crate) fn fill(rng: &mut Rng, out: &mut [f64]) {
    for two in out.chunks_mut(2) {
        let radius = (-2.0 * log(uniform(rng))).sqrt();
        let (sin, cos) = libm::sincos(2.0 * PI * uniform(rng));
        two[0] = radius * cos;
        if let Some(second) = two.get_mut(1) {
            *second = radius * sin;
        }
    }
}

#[cfg(test)]
mod tests {
    use agon_core::{Purpose, Seed};

    use super::*;

    #[test]
    fn quantiles_are_those_of_every_table() {
        assert!((half_width(0.95) - 1.959_963_984_540_054).abs() < 1e-12);
        assert!((quantile(0.05) + 1.644_853_626_951_472).abs() < 1e-12);
        assert!((cdf(1.0) - 0.841_344_746_068_542_9).abs() < 1e-15);
        // Further out, and beyond the point where a probability looks like 1.
        assert!((quantile(1e-10) + 6.361_340_902_404_056).abs() < 1e-12);
        assert!((quantile(1e-300) + 37.047_096_299_361_21).abs() < 1e-9);
        assert_eq!((quantile(0.0), quantile(1.0)), (f64::NEG_INFINITY, f64::INFINITY));
        for probability in [1e-6, 0.01, 0.3, 0.5, 0.77, 0.999] {
            assert!((cdf(quantile(probability)) - probability).abs() < 1e-15);
        }
    }

    #[test]
    fn samples_have_the_moments_of_the_normal_distribution() {
        let mut rng = Seed::plain(1).stream(Purpose::Sample, 0);
        let mut values = vec![0.0; 40_001];
        fill(&mut rng, &mut values);
        let n = values.len() as f64;
        let moment = |power: f64| values.iter().map(|x| libm::pow(*x, power)).sum::<f64>() / n;
        assert!(moment(1.0).abs() < 0.02 && (moment(2.0) - 1.0).abs() < 0.03);
        assert!(moment(3.0).abs() < 0.08 && (moment(4.0) - 3.0).abs() < 0.15);
    }
}
