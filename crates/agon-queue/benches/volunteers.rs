//! What checking volunteers costs, and what cheats achieve, in simulated runs with the real
//! coordinator.
//!
//! ```text
//! cargo bench -p agon-queue --bench volunteers
//! cargo bench -p agon-queue --bench volunteers -- --test    once, small
//! ```
#![allow(clippy::print_stdout, reason = "figures are its results")]

use agon_queue::simulation::{Report, Scenario, simulate};

fn main() {
    let is_test = std::env::args().any(|argument| argument == "--test");
    costs(if is_test { 10 } else { 200 });
    println!();
    cheats(if is_test { 3 } else { 200 });
}

/// One trusted worker of ten, or of two; short and long runs; with bots that answer the same each
/// time, and with others.
fn costs(workers: usize) {
    println!(
        "{:>8} {:>8} {:>12} {:>12} {:>14} {:>10}",
        "workers", "trusted", "of each", "repeatable", "played again", "busy"
    );
    for (trusted, of_each, is_repeatable) in [
        (workers / 10, 100, true),
        (workers / 10, 1_000, true),
        (workers / 2, 1_000, true),
        (workers / 2, 1_000, false),
    ] {
        let scenario = Scenario {
            workers,
            lent: workers - trusted,
            matches: workers * of_each,
            is_repeatable,
            ..fleet()
        };
        let report = simulate(&scenario);
        check(&scenario, &report);
        let matches = scenario.matches as f64;
        println!(
            "{workers:>8} {trusted:>8} {of_each:>12} {:>12} {:>12.1} % {:>8.1} %",
            if is_repeatable { "yes" } else { "no" },
            100.0 * (report.played as f64 - matches) / matches,
            report.mostly_busy as f64 / 1e4,
        );
        assert_eq!((report.wrong, report.excluded.len()), (0, 0), "all are honest");
    }
}

/// A volunteer that lies in a part of its matches, beside three honest ones and two trusted
/// workers.
fn cheats(runs: u64) {
    println!("{:>12} {:>10} {:>14} {:>14}", "lies", "caught", "wrong, mean", "wrong, most");
    for lies in [1_000, 10_000, 50_000, 200_000] {
        let mut caught = 0;
        let mut wrong = Vec::new();
        for seed in 0..runs {
            let scenario =
                Scenario { seed, workers: 6, lent: 4, matches: 6_000, liars: (1, lies), ..fleet() };
            let report = simulate(&scenario);
            check(&scenario, &report);
            assert!(report.excluded.iter().all(|name| name == "v5"), "{:?}", report.excluded);
            caught += report.excluded.len();
            wrong.push(report.wrong);
        }
        println!(
            "{:>10.1} % {:>8.1} % {:>14.2} {:>14}",
            f64::from(lies) / 1e4,
            100.0 * caught as f64 / runs as f64,
            wrong.iter().sum::<u64>() as f64 / runs as f64,
            wrong.iter().max().unwrap_or(&0),
        );
    }
}

/// Matches of half a second, as bots in Python play them.
fn fleet() -> Scenario {
    Scenario {
        slots: 2,
        service: (300_000, 200_000),
        delay: (500, 5_000),
        loss: 100,
        end: 100 * 3_600_000_000,
        ..Scenario::default()
    }
}

fn check(scenario: &Scenario, report: &Report) {
    let twice = report.counted.values().filter(|count| **count != 1).count();
    assert_eq!(twice, 0, "each match is counted once");
    assert_eq!(report.counted.len(), scenario.matches);
}
