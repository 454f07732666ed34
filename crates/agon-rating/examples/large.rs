//! Measures time and memory of the table of a large tournament.
//!
//! It has 10 000 bots and a million matches by default. Prints the figures of `docs/ratings.md`.
//! Run `cargo run --release -p agon-rating --example large -- [BOTS [MATCHES]]`.

#![allow(clippy::print_stdout, reason = "an example prints")]

use std::time::Instant;

use agon_core::{Purpose, Rng, Seed};
use agon_rating::{Anchor, Options, Record, ratings, table};

/// Davidson's odds of a tie, and the standard deviation of strengths in nats.
const TIES: f64 = 0.5;
const SPREAD: f64 = 1.15;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let numbers: Vec<usize> =
        std::env::args().skip(1).map(|text| text.parse()).collect::<Result<_, _>>()?;
    let bots = numbers.first().copied().unwrap_or(10_000);
    let matches = numbers.get(1).copied().unwrap_or(1_000_000);
    let records = tournament(bots, matches);
    println!("{bots} bots, {matches} matches; {} MB for the results", peak_megabytes());
    let options = Options { players: bots, anchor: Anchor::Firm, ..Options::default() };
    let start = Instant::now();
    ratings(&records, &options)?;
    tell("ratings alone", start);
    let start = Instant::now();
    table(&records, &options)?;
    tell("ratings, intervals and ranks", start);
    Ok(())
}

fn tell(what: &str, start: Instant) {
    println!("{what}: {:.1} s, at most {} MB", start.elapsed().as_secs_f64(), peak_megabytes());
}

/// Plays random duels of two bots.
fn tournament(bots: usize, matches: usize) -> Vec<Record> {
    let mut rng = Seed::plain(1).stream(Purpose::Sample, 0);
    let uniform = |rng: &mut Rng| ((rng.bits() >> 11) as f64 + 0.5) / (1u64 << 53) as f64;
    let normal = |rng: &mut Rng| (0..12).map(|_| uniform(rng)).sum::<f64>() - 6.0;
    let strengths: Vec<f64> = (0..bots).map(|_| SPREAD * normal(&mut rng)).collect();
    let duel = |_| {
        let one = rng.index(bots);
        let other = (one + 1 + rng.index(bots - 1)) % bots;
        let root = libm::exp((strengths[one] - strengths[other]) / 2.0);
        let at = uniform(&mut rng) * (root + TIES + 1.0 / root);
        match at {
            at if at < root => Record::win(one, other),
            at if at < root + TIES => Record::tie(one, other),
            _ => Record::win(other, one),
        }
    };
    (0..matches).map(duel).collect()
}

/// Returns the peak memory of this process in MB; 0 where Linux does not report it.
fn peak_megabytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().split(' ').next()?.parse::<u64>().ok()).unwrap_or(0) * 1024
        / 1_000_000
}
