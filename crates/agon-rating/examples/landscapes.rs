//! Measures the method of `agon tune` on known landscapes.
//!
//! Strength is a function of the parameters, and matches are drawn from it. It prints the loss of
//! the values found, compared with the best ones, in Elo points. There are two numbers for each
//! landscape, number of parameters and number of matches: the mean over many runs, and the value
//! that one run in ten exceeds.
//!
//! Run `cargo run --release -p agon-rating --example landscapes [RUNS] [gains]`.
#![allow(clippy::print_stdout, reason = "it prints its findings")]
#![allow(clippy::disallowed_methods, reason = "its figures are for people")]

use agon_core::{Purpose, Rng, Seed};
use agon_rating::score_of_elo;
use agon_rating::tune::{Gains, Param, Tuner};

/// The task of a method: a landscape, a start, and a number of matches.
struct Task {
    landscape: Landscape,
    start: Vec<f64>,
    matches: u64,
    seed: Seed,
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let runs = words.iter().find_map(|word| word.parse().ok()).unwrap_or(100);
    if words.iter().any(|word| word == "gains") {
        return gains(runs);
    }
    println!("Elo points lost, mean and 9 of 10 runs, {runs} runs");
    println!("{:8} {:>2} {:>7}{:>13}{:>13}", "shape", "n", "matches", "start", "SPSA");
    for shape in Shape::ALL {
        for (dims, matches) in
            [(1, 500), (1, 2_000), (2, 2_000), (2, 10_000), (3, 5_000), (3, 20_000)]
        {
            let start = cell(shape, dims, matches, runs, |task| task.start.clone());
            let found = cell(shape, dims, matches, runs, |task| spsa(task, Gains::default()));
            println!("{:8} {dims:>2} {matches:>7}{start}{found}", shape.name());
        }
    }
}

/// Compares gains.
fn gains(runs: u64) {
    println!("Elo points lost on all landscapes by SPSA, mean of {runs} runs each");
    let all = [(1, 500), (1, 2_000), (2, 2_000), (2, 10_000), (3, 5_000)];
    println!(
        "{:>6} {:>6}{}",
        "probe",
        "rate",
        all.map(|(dims, n)| format!("{:>11}", format!("{dims}/{n}"))).concat()
    );
    for probe in [0.03, 0.06, 0.1, 0.15, 0.2] {
        for rate in [0.01, 0.03, 0.1, 0.2, 0.4] {
            let row = all.map(|(dims, matches)| {
                let mut sum = 0.0;
                for shape in Shape::ALL {
                    let lost = |run| {
                        let task = task(shape, dims, matches, run);
                        task.landscape.lost(&spsa(&task, Gains { probe, rate }))
                    };
                    sum += (0..runs).map(lost).sum::<f64>() / runs as f64;
                }
                format!("{:>11.1}", sum / Shape::ALL.len() as f64)
            });
            println!("{probe:>6} {rate:>6}{}", row.concat());
        }
    }
}

fn task(shape: Shape, dims: usize, matches: u64, run: u64) -> Task {
    let seed = Seed::plain(run);
    let mut rng = seed.stream(Purpose::Setup, 0);
    let landscape = Landscape::new(shape, dims, &mut rng);
    let start = (0..dims).map(|_| fraction(&mut rng)).collect();
    Task { landscape, start, matches, seed }
}

/// Returns how many Elo points the values of a method are below the best ones, over many runs.
fn cell(
    shape: Shape,
    dims: usize,
    matches: u64,
    runs: u64,
    method: fn(&Task) -> Vec<f64>,
) -> String {
    let lost = |run| {
        let task = task(shape, dims, matches, run);
        task.landscape.lost(&method(&task))
    };
    let mut losses: Vec<f64> = (0..runs).map(lost).collect();
    losses.sort_by(f64::total_cmp);
    let mean = losses.iter().sum::<f64>() / losses.len() as f64;
    format!("{mean:>7.1}{:>6.0}", losses[losses.len() * 9 / 10])
}

/// Runs the method of `agon tune`, with parameters of a hundred steps.
fn spsa(task: &Task, gains: Gains) -> Vec<f64> {
    let param = |number: usize| format!("p{number}=0..100").parse::<Param>().expect("it is one");
    let start = task.start.iter().map(|value| (value * 100.0).round() as i64).collect();
    let params = (0..task.start.len()).map(param).collect();
    let mut tuner = Tuner::new(params, start, gains, task.matches / 2, task.seed);
    let mut rng = task.seed.stream(Purpose::Script, 1);
    let value = |steps: &[i64]| steps.iter().map(|&steps| steps as f64 / 100.0).collect::<Vec<_>>();
    while let Some(duel) = tuner.next_duel() {
        let difference = task.landscape.duel(&value(&duel.plus), &value(&duel.minus), &mut rng);
        tuner.result(duel.number, difference);
    }
    value(&tuner.best())
}

/// Draws a number from 0 to 1.
fn fraction(rng: &mut Rng) -> f64 {
    (rng.bits() >> 11) as f64 / (1u64 << 53) as f64
}

/// The way strength depends on parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// A wide hill: 400 points for the whole range of a parameter.
    Hill,
    /// The same, but parameters depend on each other.
    Ridge,
    /// A narrow hill on a plain that rises slowly towards it.
    Peak,
    /// Strength breaks down below a threshold, and hardly changes above it.
    Cliff,
    /// A hill of 40 points: there is hardly anything to gain.
    Low,
}

impl Shape {
    const ALL: [Shape; 5] = [Shape::Hill, Shape::Ridge, Shape::Peak, Shape::Cliff, Shape::Low];

    fn name(self) -> &'static str {
        match self {
            Shape::Hill => "hill",
            Shape::Ridge => "ridge",
            Shape::Peak => "peak",
            Shape::Cliff => "cliff",
            Shape::Low => "low",
        }
    }
}

/// A shape with its summit.
struct Landscape {
    shape: Shape,
    best: Vec<f64>,
}

/// One match in ten between equals is a tie.
const TIES: f64 = 0.1;

impl Landscape {
    fn new(shape: Shape, dims: usize, rng: &mut Rng) -> Landscape {
        Landscape { shape, best: (0..dims).map(|_| 0.1 + 0.8 * fraction(rng)).collect() }
    }

    /// Returns how many Elo points values are below the best ones.
    fn lost(&self, values: &[f64]) -> f64 {
        let off: Vec<f64> =
            values.iter().zip(&self.best).map(|(value, best)| value - best).collect();
        let squares = off.iter().map(|x| x * x).sum::<f64>();
        let all = off.len() as f64;
        match self.shape {
            Shape::Hill => 400.0 * squares,
            Shape::Ridge => {
                let mean = off.iter().sum::<f64>() / all;
                let across = off.iter().map(|x| (x - mean).powi(2)).sum::<f64>();
                200.0 * mean * mean + 800.0 * across
            }
            Shape::Peak => 200.0 * (1.0 - (-squares / (0.045 * all)).exp()) + 40.0 * squares.sqrt(),
            Shape::Cliff => {
                let broken = |x: f64| 300.0 / (1.0 + ((x + 0.1) / 0.03).exp()) + 40.0 * x.abs();
                // The best value is a little further from the cliff.
                let least =
                    (0..100).map(|n| broken(f64::from(n) / 1000.0)).fold(f64::INFINITY, f64::min);
                off.iter().map(|&x| broken(x) - least).sum()
            }
            Shape::Low => 40.0 * squares,
        }
    }

    /// Returns the one's points minus the other's, per match, after two matches.
    fn duel(&self, one: &[f64], other: &[f64], rng: &mut Rng) -> f64 {
        let expected = score_of_elo(self.lost(other) - self.lost(one));
        let tie = TIES * 4.0 * expected * (1.0 - expected);
        let mut one_match = || match fraction(rng) {
            drawn if drawn < expected - tie / 2.0 => 1.0,
            drawn if drawn < expected + tie / 2.0 => 0.0,
            _ => -1.0,
        };
        (one_match() + one_match()) / 2.0
    }
}
