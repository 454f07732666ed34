//! Tests how many matches it takes until the table shows the true order, for each matchmaker:
//! random groups, a round robin, or the adaptive one.
//!
//! `examples/matchmaking.rs` does the same at length, for more bots, and prints the figures of
//! `docs/tournaments.md`.

#![allow(
    clippy::print_stdout,
    unreachable_pub,
    dead_code,
    reason = "an example shares the modules, and prints"
)]

mod others;
mod trial;
mod world;

use trial::{Trial, Who};
use world::Strengths::Normal;

#[test]
fn the_adaptive_matchmaker_finds_the_order_sooner() {
    agon_testkit::slow!();
    let trial = Trial { bots: 12, size: 2, strengths: Normal, floor: 100, budget: 2400 };
    let [adaptive, random] = [Who::Adaptive, Who::Random].map(|who| trial.runs(who, 60));
    println!("adaptive: {adaptive}\nrandom: {random}");
    // The mean difference is 0.02 with a standard error of 0.005.
    let ahead = adaptive.tau(2).0 - random.tau(2).0;
    assert!(ahead > 0.004, "{ahead}");
    let sooner =
        |one: Option<u64>, other: Option<u64>| one.unwrap_or(u64::MAX) <= other.unwrap_or(u64::MAX);
    assert!(
        sooner(adaptive.order(), random.order()),
        "{:?} {:?}",
        adaptive.order(),
        random.order()
    );
}
