//! Prints the figures of `docs/tournaments.md` about matchmaking: after how many matches the table
//! shows the true order, for each matchmaker.
//!
//! Run `cargo run --release -p agon-contest --example matchmaking -- [BOTS [RUNS]]`. It
//! simulates fields of 12, 40 or 100 bots (all without BOTS), each RUNS times (default 100). Forty
//! bots then take a quarter of an hour, a hundred half an hour.
#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "it prints what it finds")]

mod simulation;

use simulation::Strengths::{self, Even, Normal};
use simulation::{Trial, Who};

/// How often each field is played, unless somebody says otherwise.
const RUNS: u64 = 100;

/// A field, and who chooses its matches.
struct Field {
    bots: usize,
    /// Players of a match.
    size: usize,
    strengths: Strengths,
    /// Matches of a tournament.
    budget: u64,
    floor: u32,
    whos: &'static [Who],
}

const FEW: &[Who] = &[Who::Random, Who::RoundRobin, Who::Adaptive];
const ALL: &[Who] = &[Who::Random, Who::RoundRobin, Who::Adaptive, Who::Nearest, Who::OwnOrder];
const OURS: &[Who] = &[Who::Adaptive];
const HUNDRED: &[Who] = &[Who::Random, Who::Adaptive];

const FIELDS: [Field; 10] = [
    Field { bots: 12, size: 2, strengths: Normal, budget: 4_800, floor: 100, whos: ALL },
    Field { bots: 12, size: 2, strengths: Normal, budget: 4_800, floor: 10, whos: OURS },
    Field { bots: 12, size: 2, strengths: Normal, budget: 4_800, floor: 1000, whos: OURS },
    Field { bots: 12, size: 2, strengths: Even, budget: 2_400, floor: 100, whos: FEW },
    Field { bots: 12, size: 4, strengths: Normal, budget: 2_400, floor: 100, whos: FEW },
    Field { bots: 12, size: 4, strengths: Even, budget: 2_400, floor: 100, whos: FEW },
    Field { bots: 40, size: 2, strengths: Normal, budget: 12_000, floor: 100, whos: FEW },
    Field { bots: 40, size: 4, strengths: Normal, budget: 4_800, floor: 100, whos: FEW },
    Field { bots: 40, size: 2, strengths: Even, budget: 12_000, floor: 100, whos: FEW },
    Field { bots: 100, size: 2, strengths: Normal, budget: 24_000, floor: 100, whos: HUNDRED },
];

fn main() -> Result<(), std::num::ParseIntError> {
    let mut args = std::env::args().skip(1);
    let bots: Option<usize> = args.next().map(|text| text.parse()).transpose()?;
    let runs: u64 = args.next().map_or(Ok(RUNS), |text| text.parse())?;
    for field in FIELDS.iter().filter(|field| bots.is_none_or(|bots| bots == field.bots)) {
        let &Field { bots, size, strengths, budget, floor, whos } = field;
        let trial = Trial { bots, size, strengths, floor, budget };
        let mut orders = [None; 2];
        for &who in whos {
            let start = std::time::Instant::now();
            let found = trial.runs(who, runs);
            match who {
                Who::Random => orders[0] = found.order(),
                Who::Adaptive => orders[1] = found.order(),
                _ => {}
            }
            println!(
                "| {bots} in matches of {size}, {strengths:?}, {budget}, floor {floor} | {who:?} \
                 |{found}"
            );
            eprintln!("{:?}", start.elapsed());
        }
        // Where a field has been played by both, what the page says must hold: the order is found
        // sooner, if at all.
        let [random, adaptive] = orders.map(|matches| matches.unwrap_or(u64::MAX));
        let both = whos.contains(&Who::Random) && whos.contains(&Who::Adaptive);
        assert!(!both || adaptive <= random, "adaptive: {adaptive}, random: {random} matches");
    }
    Ok(())
}
