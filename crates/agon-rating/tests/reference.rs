//! Compares with published numbers. `src/fit/tests.rs` does so for the fit of a table.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

use agon_rating::{EloModel, Pentanomial, Sprt};

fn llr(model: EloModel, elo0: f64, elo1: f64, outcomes: &Pentanomial, expected: f64) {
    let found = Sprt::new(elo0, elo1, 0.05, 0.05, model).unwrap().llr(outcomes);
    assert!((found - expected).abs() < 0.0051 + 0.001 * expected.abs(), "{found}, not {expected}");
}

/// Log-likelihood ratios of tests that were run on fishtest and elsewhere, rounded to hundredths.
///
/// Source: `app/tests/sprt_test.cpp` of fastchess (<https://github.com/Disservin/fastchess>).
#[test]
fn likelihood_ratios() {
    use EloModel::{Logistic, Normalized};
    llr(Normalized, 0.0, 2.0, &Pentanomial([365, 16_618, 36_229, 16_974, 390]), 2.25);
    llr(Normalized, -1.75, 0.25, &Pentanomial([127, 4_883, 10_712, 5_150, 104]), 3.01);
    llr(Logistic, 0.5, 2.5, &Pentanomial([223, 9_863, 21_279, 10_037, 246]), -3.07);
    llr(Logistic, 0.0, 2.0, &Pentanomial([871, 26_175, 55_983, 26_678, 821]), -4.98);
}

/// If only one result ever happened, the likeliest distribution can be found by hand.
///
/// (fastchess has 2.94: it stops its iteration before it has reached a distribution with the
/// requested effect.)
#[test]
fn likelihood_ratios_of_a_single_result() {
    let test = Sprt::new(0.0, 5.0, 0.05, 0.05, EloModel::Normalized).unwrap();
    let near = |found: f64, expected: f64| {
        assert!((found - expected).abs() < 0.02, "{found}, not {expected}")
    };
    let t = 5.0 / agon_rating::NORMALIZED_ELO_PER_SIGMA;
    // Only pairs won twice: the rest are pairs lost twice, (p - 1/2) / sqrt(p (1 - p)) = t √2.
    let p = 0.5 + (t * t / 2.0 / (1.0 + 2.0 * t * t)).sqrt();
    near(test.llr(&Pentanomial([0, 0, 0, 0, 104])), 104.0 * (2.0 * p).ln());
}
