//! Thousands of simulated machines with the real coordinator: how many matches a second, how long
//! each takes from its submission to its result, and what becomes the bottleneck.
//!
//! ```text
//! cargo bench -p agon-queue --bench fleet
//! cargo bench -p agon-queue --bench fleet -- --test    once, small
//! ```
#![allow(clippy::print_stdout, reason = "figures are its results")]

use std::time::Instant;

use agon_queue::simulation::{Scenario, simulate};

fn main() {
    let is_test = std::env::args().any(|argument| argument == "--test");
    let sizes: &[usize] = if is_test { &[20] } else { &[100, 1_000, 10_000] };
    println!(
        "{:>8} {:>10} {:>12} {:>8} {:>10} {:>10} {:>12} {:>14}",
        "workers", "matches", "matches/s", "busy", "median", "p99", "messages", "CPU a match"
    );
    for &workers in sizes {
        // Matches of half a second, as bots in Python play them; each machine plays forty.
        let scenario = Scenario {
            workers,
            slots: 2,
            matches: workers * 80,
            service: (300_000, 200_000),
            delay: (500, 5_000),
            loss: 100,
            repeat: 100,
            deaths: 20,
            stalls: 10,
            stragglers: 20_000,
            ..Scenario::default()
        };
        let began = Instant::now();
        let mut report = simulate(&scenario);
        let cpu = began.elapsed().as_secs_f64() / scenario.matches as f64;
        let rate = report.counted.len() as f64 * 1e6 / report.took as f64;
        println!(
            "{workers:>8} {:>10} {rate:>12.0} {:>6.1} % {:>8.1} s {:>8.1} s {:>12} {:>11.1} µs",
            report.counted.len(),
            report.busy as f64 / 1e4,
            report.turnaround.permille(500) as f64 / 1e6,
            report.turnaround.permille(990) as f64 / 1e6,
            report.messages,
            cpu * 1e6,
        );
        let twice = report.counted.values().filter(|count| **count != 1).count();
        assert_eq!(twice, 0, "each match is counted once");
        assert_eq!(report.counted.len() + report.quarantined.len(), scenario.matches);
    }
}
