//! Measures time and memory of the table of a large ladder, made from counts.
//!
//! It has 10 000 bots, a million pairs of which each met ten times, by default: ten million
//! matches. Half of the opponents are near in strength. Prints the figures of `docs/ratings.md`.
//! Run `cargo run --release -p agon-rating --example counts -- [BOTS [PAIRS [MATCHES [DRAWS]]]]`;
//! DRAWS are the rankings drawn for ranges of ranks.
//! With at most 2 000 bots, it also compares the widths of intervals with the exact ones.

#![allow(clippy::print_stdout, reason = "an example prints")]

use std::time::Instant;

use agon_core::{Purpose, Rng, Seed};
use agon_rating::{Anchor, Counts, Intervals, Options, RatingError, Table};

/// Davidson's odds of a tie, and the standard deviation of strengths in nats.
const TIES: f64 = 0.2;
const SPREAD: f64 = 1.15;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let numbers: Vec<usize> =
        std::env::args().skip(1).map(|text| text.parse()).collect::<Result<_, _>>()?;
    let number = |at: usize, usual| numbers.get(at).copied().unwrap_or(usual);
    let (bots, pairs, matches) = (number(0, 10_000), number(1, 1_000_000), number(2, 10_000_000));
    let counts = ladder(bots, pairs, matches)?;
    println!("{bots} bots, {pairs} pairs, {matches} matches: {} MB for counts", megabytes());
    let options = Options { anchor: Anchor::Firm, samples: number(3, 0), ..Options::default() };
    let start = Instant::now();
    let table = counts.clone().table(&options)?;
    tell("ratings and intervals", start);
    if bots <= 2_000 {
        let start = Instant::now();
        let exact = counts.table(&Options { intervals: Intervals::Fisher, ..options })?;
        tell("Fisher's intervals", start);
        compare(&table, &exact);
    }
    Ok(())
}

fn tell(what: &str, start: Instant) {
    println!("{what}: {:.1} s, at most {} MB", start.elapsed().as_secs_f64(), megabytes());
}

fn compare(table: &Table, exact: &Table) {
    let width = |table: &Table, player| table.row(player).map_or(0.0, |row| row.high - row.low);
    let ratio = |player| width(table, player) / width(exact, player) - 1.0;
    let errors: Vec<f64> = (0..table.rows.len()).map(|player| f64::abs(ratio(player))).collect();
    let mean = errors.iter().sum::<f64>() / errors.len() as f64;
    let most = errors.iter().copied().fold(0.0, f64::max);
    println!("widths differ by {:.2} %, at most {:.1} %", 100.0 * mean, 100.0 * most);
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
        let root = libm::exp((strength(one) - strength(other)) / 2.0);
        let mut times = [0; 3];
        for _ in 0..matches / pairs {
            times[result(&mut rng, root)] += 1;
        }
        for (places, times) in [[1, 2], [1, 1], [2, 1]].iter().zip(times) {
            counts.add(&[one, other], places, times)?;
        }
    }
    Ok(counts)
}

/// Draws a result: 0 for a win, 1 for a tie, 2 for a loss.
fn result(rng: &mut Rng, root: f64) -> usize {
    let uniform = ((rng.bits() >> 11) as f64 + 0.5) / (1u64 << 53) as f64;
    match uniform * (root + TIES + 1.0 / root) {
        at if at < root => 0,
        at if at < root + TIES => 1,
        _ => 2,
    }
}

/// Returns the peak memory of this process in MB; 0 where Linux does not report it.
fn megabytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().split(' ').next()?.parse::<u64>().ok()).unwrap_or(0) * 1024
        / 1_000_000
}
