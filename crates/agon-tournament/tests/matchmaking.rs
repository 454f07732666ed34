//! How many matches it takes until the table shows the true order, by who chooses them: random groups, a round robin,
//! or the adaptive matchmaker.
//!
//! The test that runs always is short. `cargo test --release -p agon-tournament --test matchmaking -- --ignored
//! --nocapture` does it at length and prints the figures of `docs/tournaments.md`.

#![allow(clippy::print_stdout, unreachable_pub, reason = "tests print what they find")]

#[path = "matchmaking/others.rs"]
mod others;
#[path = "matchmaking/trial.rs"]
mod trial;
#[path = "matchmaking/world.rs"]
mod world;

use trial::{Trial, Who};
use world::Strengths::{self, Even, Normal};

/// Prints the rows of one field.
fn compare(bots: usize, size: usize, strengths: Strengths, budget: u64, floors: &[u32], whos: &[Who]) {
    for &floor in floors {
        let trial = Trial { bots, size, strengths, floor, budget };
        for &who in whos {
            let start = std::time::Instant::now();
            let runs = trial.runs(who, 100);
            println!(
                "| {bots} in matches of {size}, {strengths:?}, {budget}, floor {floor} | {who:?} |{runs}"
            );
            eprintln!("{:?}", start.elapsed());
        }
    }
}

#[test]
fn the_adaptive_matchmaker_finds_the_order_sooner() {
    let trial = Trial { bots: 12, size: 2, strengths: Normal, floor: 100, budget: 2400 };
    let [adaptive, random] = [Who::Adaptive, Who::Random].map(|who| trial.runs(who, 60));
    println!("adaptive: {adaptive}\nrandom: {random}");
    // The mean difference is 0.02 with a standard error of 0.005.
    let ahead = adaptive.tau(2).0 - random.tau(2).0;
    assert!(ahead > 0.004, "{ahead}");
    let sooner = |one: Option<u64>, other: Option<u64>| one.unwrap_or(u64::MAX) <= other.unwrap_or(u64::MAX);
    assert!(sooner(adaptive.order(), random.order()), "{:?} {:?}", adaptive.order(), random.order());
}

#[test]
#[ignore = "takes minutes"]
fn twelve_bots_at_length() {
    let all = [Who::Random, Who::RoundRobin, Who::Adaptive, Who::Nearest, Who::OwnOrder];
    compare(12, 2, Normal, 4_800, &[100], &all);
    compare(12, 2, Normal, 4_800, &[10, 1000], &[Who::Adaptive]);
    compare(12, 2, Even, 2_400, &[100], &all[..3]);
    compare(12, 4, Normal, 2_400, &[100], &all[..3]);
    compare(12, 4, Even, 2_400, &[100], &all[..3]);
}

#[test]
#[ignore = "takes a quarter of an hour"]
fn forty_bots_at_length() {
    let all = [Who::Random, Who::RoundRobin, Who::Adaptive];
    compare(40, 2, Normal, 12_000, &[100], &all);
    compare(40, 4, Normal, 4_800, &[100], &all);
    compare(40, 2, Even, 12_000, &[100], &all);
}

#[test]
#[ignore = "takes half an hour"]
fn a_hundred_bots_at_length() {
    compare(100, 2, Normal, 24_000, &[100], &[Who::Random, Who::Adaptive]);
}
