//! Thousands of simulated machines with the real coordinator: how many matches a second, how long
//! each takes from its submission to its result, and what becomes the bottleneck.
//!
//! ```text
//! cargo bench -p agon-remote --bench fleet
//! cargo bench -p agon-remote --bench fleet -- --test    once, small
//! ```
#![allow(clippy::print_stdout, reason = "figures are its results")]

#[allow(dead_code, reason = "tests read more of a report")]
#[path = "../tests/simulation/world.rs"]
mod world;

use self::world::{Scenario, simulate};

fn main() {
    let is_test = std::env::args().any(|argument| argument == "--test");
    let sizes: &[usize] = if is_test { &[20] } else { &[100, 1_000, 10_000] };
    println!(
        "{:>8} {:>10} {:>12} {:>8} {:>10} {:>10} {:>10} {:>12}",
        "workers", "matches", "matches/s", "busy", "median", "p99", "longest", "coordinator"
    );
    for &workers in sizes {
        // Matches of half a second, as bots in Python play them; each slot plays thirty.
        let scenario = Scenario {
            workers,
            slots: 2,
            matches: workers * 60,
            service: (300_000, 200_000),
            delay: (500, 5_000),
            loss: 100,
            repeat: 100,
            deaths: 20,
            stalls: 10,
            stragglers: 20_000,
            // Some four messages of a match that travels alone: 50 µs, as `remote` measures.
            coordinator_ns: 12_500,
            ..Scenario::default()
        };
        let report = simulate(&scenario);
        let count = report.counted.len();
        let seconds = |us: u64| us as f64 / 1e6;
        let turnaround = |share: usize| seconds(report.turnaround[(count - 1) * share / 1_000]);
        println!(
            "{workers:>8} {count:>10} {:>12.0} {:>6.1} % {:>8.2} s {:>8.2} s {:>8.0} s {:>10.1} %",
            count as f64 * 0.95 / seconds(report.mostly),
            report.mostly_busy as f64 / 1e4,
            turnaround(500),
            turnaround(990),
            turnaround(1_000),
            report.coordinator as f64 / 1e4,
        );
        let twice = report.counted.values().filter(|count| **count != 1).count();
        assert_eq!(twice, 0, "each match is counted once");
        assert_eq!(count + report.given_up.len(), scenario.matches);
    }
}
