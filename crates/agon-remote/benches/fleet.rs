//! Thousands of simulated machines with the real coordinator: how many matches a second, how long
//! each takes from its submission to its result, and what becomes the bottleneck. At the end, what
//! slow machines do to the last matches of a run.
//!
//! ```text
//! cargo bench -p agon-remote --bench fleet
//! cargo bench -p agon-remote --bench fleet -- --test    once, small
//! ```
#![allow(clippy::print_stdout, reason = "figures are its results")]

use agon_remote::fleet::simulation::{Scenario, simulate};

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
        let mut report = simulate(&scenario);
        let most = report.counted.len() as f64 * 0.95;
        let seconds = |us: u64| us as f64 / 1e6;
        let [median, p99, longest] =
            [500, 990, 1000].map(|share| seconds(report.turnaround.permille(share)));
        println!(
            "{workers:>8} {:>10} {:>12.0} {:>6.1} % {median:>8.2} s {p99:>8.2} s {longest:>8.0} s \
             {:>10.1} %",
            report.counted.len(),
            most / seconds(report.mostly),
            report.mostly_busy as f64 / 1e4,
            report.coordinator as f64 / 1e4,
        );
        let twice = report.counted.values().filter(|count| **count != 1).count();
        assert_eq!(twice, 0, "each match is counted once");
        assert_eq!(report.counted.len() + report.quarantined.len(), scenario.matches);
    }
    slow_machines(if is_test { 1 } else { 100 });
}

/// Shows how long a run with slow workers takes on average.
fn slow_machines(runs: u64) {
    let scenario = |seed| Scenario {
        seed,
        workers: 20,
        slots: 1,
        matches: 200,
        service: (20_000_000, 1_000_000),
        stragglers: 400_000,
        ..Scenario::default()
    };
    let mean = |of: &dyn Fn(u64) -> Scenario| {
        let took: u64 = (0..runs).map(|seed| simulate(&of(seed)).took).sum();
        took as f64 / 1e6 / runs as f64
    };
    println!(
        "200 matches of 20 s on 20 workers, of which 8 need three times as long: {:.0} s; {:.0} s \
         if these take whatever there is, {:.0} s without them",
        mean(&scenario),
        mean(&|seed| Scenario { is_eager: true, ..scenario(seed) }),
        mean(&|seed| Scenario { workers: 12, stragglers: 0, ..scenario(seed) }),
    );
}
