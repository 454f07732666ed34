//! The normal distribution: quantiles, probabilities, samples.

use std::f64::consts::{PI, SQRT_2};

use agon_core::Rng;
use statrs::function::erf::{erfc, erfc_inv};

/// P(Z ≤ x) of a standard normal Z.
pub(crate) fn cdf(x: f64) -> f64 {
    0.5 * erfc(-x / SQRT_2)
}

/// The x with P(Z ≤ x) = `probability`.
pub(crate) fn quantile(probability: f64) -> f64 {
    -SQRT_2 * erfc_inv(2.0 * probability)
}

/// Half the width, in standard deviations, of the interval in the middle that holds `confidence`:
/// 1.96 for 0.95.
pub(crate) fn half_width(confidence: f64) -> f64 {
    quantile(0.5 + confidence / 2.0)
}

/// A number from the open interval (0, 1), with 53 random bits.
pub(crate) fn uniform(rng: &mut Rng) -> f64 {
    ((rng.bits() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
}

/// Fills `out` with independent standard normal numbers (Box and Muller 1958).
pub(crate) fn fill(rng: &mut Rng, out: &mut [f64]) {
    for two in out.chunks_mut(2) {
        let radius = (-2.0 * uniform(rng).ln()).sqrt();
        let (sin, cos) = (2.0 * PI * uniform(rng)).sin_cos();
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
        assert!((cdf(1.0) - 0.841_344_746_068_543).abs() < 1e-10);
    }

    #[test]
    fn samples_have_the_moments_of_the_normal_distribution() {
        let mut rng = Seed(1).stream(Purpose::Sample, 0);
        let mut values = vec![0.0; 40_001];
        fill(&mut rng, &mut values);
        let n = values.len() as f64;
        let moment = |power: i32| values.iter().map(|x| x.powi(power)).sum::<f64>() / n;
        assert!(moment(1).abs() < 0.02 && (moment(2) - 1.0).abs() < 0.03, "{} {}", moment(1), moment(2));
        assert!(moment(3).abs() < 0.08 && (moment(4) - 3.0).abs() < 0.15, "{} {}", moment(3), moment(4));
    }
}
