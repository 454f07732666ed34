//! Measures time and memory of the tables of a large tournament and of a large ladder.
//!
//! Prints the figures of `docs/ratings.md`. Run `cargo run --release -p agon-rating --example large
//! -- [BOTS [MATCHES]]` for a tournament; it has 10 000 bots and a million matches by default.
//!
//! With `counts [BOTS [PAIRS [MATCHES [DRAWS]]]]` it is a ladder, whose table is made from counts:
//! 10 000 bots, a million pairs of which each met ten times, by default. Half of the opponents are
//! near in strength. DRAWS are the rankings drawn for ranges of ranks.

#![allow(clippy::print_stdout, reason = "an example prints")]

use std::time::Instant;

use agon_core::{Purpose, Rng, Seed};
use agon_rating::{Anchor, Counts, Options, RatingError, Record, table};

/// The standard deviation of strengths in nats.
const SPREAD: f64 = 1.15;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut words = std::env::args().skip(1).peekable();
    let from_counts = words.next_if(|word| word == "counts").is_some();
    let numbers: Vec<usize> = words.map(|text| text.parse()).collect::<Result<_, _>>()?;
    let number = |at: usize, usual| numbers.get(at).copied().unwrap_or(usual);
    let bots = number(0, 10_000);
    if from_counts {
        return Ok(ladder_table(bots, number(1, 1_000_000), number(2, 10_000_000), number(3, 0))?);
    }
    let matches = number(1, 1_000_000);
    let records = tournament(bots, matches);
    println!("{bots} bots, {matches} matches; {} MB for the results", peak_megabytes());
    let options = Options { players: bots, anchor: Anchor::Firm, ..Options::default() };
    let start = Instant::now();
    table(&records, &options)?;
    tell("ratings, intervals and ranks", start);
    Ok(())
}

fn ladder_table(
    bots: usize,
    pairs: usize,
    matches: usize,
    samples: usize,
) -> Result<(), RatingError> {
    let counts = ladder(bots, pairs, matches)?;
    println!("{bots} bots, {pairs} pairs, {matches} matches: {} MB for counts", peak_megabytes());
    let options = Options { anchor: Anchor::Firm, samples, ..Options::default() };
    let start = Instant::now();
    counts.table(&options)?;
    tell("ratings and intervals", start);
    Ok(())
}

fn tell(what: &str, start: Instant) {
    println!("{what}: {:.1} s, at most {} MB", start.elapsed().as_secs_f64(), peak_megabytes());
}

/// Plays random duels of two bots.
fn tournament(bots: usize, matches: usize) -> Vec<Record> {
    let mut rng = Seed::plain(1).stream(Purpose::Sample, 0);
    let normal = |rng: &mut Rng| (0..12).map(|_| uniform(rng)).sum::<f64>() - 6.0;
    let strengths: Vec<f64> = (0..bots).map(|_| SPREAD * normal(&mut rng)).collect();
    let duel = |_| {
        let one = rng.index(bots);
        let other = (one + 1 + rng.index(bots - 1)) % bots;
        match result(&mut rng, strengths[one] - strengths[other], 0.5) {
            0 => Record::win(one, other),
            1 => Record::tie(one, other),
            _ => Record::win(other, one),
        }
    };
    (0..matches).map(duel).collect()
}

/// Draws pairs, and the results of their matches. Bots are in order of strength.
fn ladder(bots: usize, pairs: usize, matches: usize) -> Result<Counts, RatingError> {
    let mut rng = Seed::plain(1).stream(Purpose::Sample, 0);
    let mut counts = Counts::new();
    let strength = |bot: usize| SPREAD * 3.5 * (bot as f64 / bots as f64 - 0.5);
    for pair in 0..pairs {
        let one = rng.index(bots);
        let reach = if pair % 2 == 0 { bots - 1 } else { (bots / 20).max(2) };
        let other = (one + 1 + rng.index(reach)) % bots;
        let mut times = [0; 3];
        for _ in 0..matches / pairs {
            times[result(&mut rng, strength(one) - strength(other), 0.2)] += 1;
        }
        for (places, times) in [[1, 2], [1, 1], [2, 1]].iter().zip(times) {
            counts.add(&[one, other], places, times)?;
        }
    }
    Ok(counts)
}

fn uniform(rng: &mut Rng) -> f64 {
    ((rng.bits() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
}

/// Draws a result: 0 for a win, 1 for a tie, 2 for a loss. `ties` are Davidson's odds of a tie.
fn result(rng: &mut Rng, lead: f64, ties: f64) -> usize {
    let root = libm::exp(lead / 2.0);
    match uniform(rng) * (root + ties + 1.0 / root) {
        at if at < root => 0,
        at if at < root + ties => 1,
        _ => 2,
    }
}

/// Returns the peak memory of this process in MB; 0 where Linux does not report it.
fn peak_megabytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().split(' ').next()?.parse::<u64>().ok()).unwrap_or(0) * 1024
        / 1_000_000
}
