//! Checks promises of the statistics by repeated simulation.
//!
//! The tests that always run are short, with bounds so wide that chance alone does not break them
//! (and the seeds are fixed). `cargo xtask long simulations` does the same at length, within
//! narrow bounds.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "tests print what they find and may fail"
)]

mod duel;
mod mean;
mod paired;
mod sprt;
mod table;

use agon_core::Rng;

/// Draws a number from [0, 1).
fn uniform(rng: &mut Rng) -> f64 {
    (rng.bits() >> 11) as f64 / (1u64 << 53) as f64
}

/// Draws an index, with probabilities proportional to `weights`.
fn pick(rng: &mut Rng, weights: &[f64]) -> usize {
    let mut rest = uniform(rng) * weights.iter().sum::<f64>();
    let found = weights.iter().position(|weight| {
        rest -= weight;
        rest < 0.0
    });
    found.unwrap_or(weights.len() - 1)
}

/// Fails if `count` of `runs` exceeds the count of an event of probability `limit`.
///
/// The margin is four standard deviations.
fn at_most(what: &str, count: usize, runs: usize, limit: f64) {
    let rate = count as f64 / runs as f64;
    println!("{what}: {rate:.4} of {runs}, at most {limit}");
    let slack = 4.0 * (limit * (1.0 - limit) / runs as f64).sqrt();
    assert!(rate <= limit + slack, "{what}: {rate} of {runs}, but at most {limit} was promised");
}
