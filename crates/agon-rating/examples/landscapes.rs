//! Compares methods of tuning on known landscapes.
//!
//! Strength is a function of the parameters, and matches are drawn from it. It prints the loss of
//! the values found, compared with the best ones, in Elo points. There are two numbers for each
//! landscape, number of parameters and number of matches: the mean over many runs, and the value
//! that one run in ten exceeds.
//!
//! Run `cargo run --release -p agon-rating --example landscapes [RUNS] [gains]`.
#![allow(clippy::print_stdout, reason = "it prints its findings")]
#![allow(clippy::disallowed_methods, reason = "its figures are for people")]

#[path = "landscapes/halving.rs"]
mod halving;
#[path = "landscapes/landscape.rs"]
mod landscape;
#[path = "landscapes/surface.rs"]
mod surface;

use agon_core::{Purpose, Rng, Seed};
use agon_rating::tune::{Gains, Param, Tuner};
use landscape::{Landscape, Shape};

/// The task of a method: a landscape, a start, and a number of matches.
pub(crate) struct Task {
    landscape: Landscape,
    start: Vec<f64>,
    matches: u64,
    seed: Seed,
}

/// Finds values, from 0 to 1.
type Method = fn(&Task) -> Vec<f64>;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let runs = words.iter().find_map(|word| word.parse().ok()).unwrap_or(100);
    if words.iter().any(|word| word == "gains") {
        return gains(runs);
    }
    let methods: [(&str, Method); 4] = [
        ("nothing", |task| task.start.clone()),
        ("SPSA", |task| spsa(task, Gains::default())),
        ("halving", halving::tune),
        ("surface", surface::tune),
    ];
    println!("Elo points lost, mean and 9 of 10 runs, {runs} runs");
    println!("{:8} {:>2} {:>7}{}", "shape", "n", "matches", heads(methods.map(|method| method.0)));
    for shape in Shape::ALL {
        for (dims, matches) in
            [(1, 500), (1, 2_000), (2, 2_000), (2, 10_000), (3, 5_000), (3, 20_000)]
        {
            let row = methods.map(|(_, method)| cell(&losses(shape, dims, matches, runs, method)));
            println!("{:8} {dims:>2} {matches:>7}{}", shape.name(), row.concat());
        }
    }
}

fn heads(names: [&str; 4]) -> String {
    names.map(|name| format!("{name:>13}")).concat()
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

fn losses(shape: Shape, dims: usize, matches: u64, runs: u64, method: Method) -> Vec<f64> {
    let lost = |run| {
        let task = task(shape, dims, matches, run);
        task.landscape.lost(&method(&task))
    };
    let mut losses: Vec<f64> = (0..runs).map(lost).collect();
    losses.sort_by(f64::total_cmp);
    losses
}

fn cell(losses: &[f64]) -> String {
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
pub(crate) fn fraction(rng: &mut Rng) -> f64 {
    (rng.bits() >> 11) as f64 / (1u64 << 53) as f64
}
