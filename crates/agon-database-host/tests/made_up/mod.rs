//! Plans and journals with made-up results, and their databases.
#![allow(dead_code, unreachable_pub, reason = "each test binary uses its own part")]

#[path = "../../../agon-tournament/tests/common/mod.rs"]
mod common;

use std::path::Path;

use agon_core::FaultKind;
use agon_tournament::{Database, DatabaseError, Plan, Record, Schedule, journal::SeatFault};

pub const PLAN: &str = "game = \"cluster\"\nmatches = 4\nbots = [\"builtin:greedy\", \
    \"builtin:random\", \"builtin:searcher\", \"builtin:searcher?width=2\"]\n[format]\nkind = \
    \"round-robin\"\n";

pub fn plan(more: &str) -> Plan {
    Plan::parse(&format!("{more}{PLAN}"), Path::new("plan.toml")).unwrap()
}

/// Records of up to `limit` matches with made-up results; every fifth match has a fault.
pub fn records(plan: &Plan, schedule: &mut Schedule, limit: usize) -> Vec<Record> {
    let record =
        |(number, (game, outcome)): (u64, (agon_tournament::Match, agon_tournament::Outcome))| {
            let mut faults = vec![Vec::new(); game.seats.len()];
            if number % 5 == 0 {
                faults[1].push(SeatFault {
                    kind: FaultKind::Timeout,
                    count: 3,
                    text: "it slept".to_owned(),
                    step: Some(7),
                    stderr: "still asleep".to_owned(),
                });
            }
            Record {
                id: game.id,
                key: format!("{number:064x}"),
                seats: game.seats.iter().map(|e| plan.bots[e.index()].name.clone()).collect(),
                seed: game.seed,
                places: outcome.places,
                scores: outcome.scores,
                faults,
                void: 0,
                ms: number % 977,
                replay: Some(format!("{}.agon", game.id)),
                machine: None,
                forfeits: Vec::new(),
            }
        };
    (0..).zip(common::play(schedule, 1, limit)).map(record).collect()
}

/// Opens a database with the program that these tests are of.
pub fn open(path: &Path, plan: &Plan, records: &[Record]) -> Result<Database, DatabaseError> {
    Database::open(path, plan, records, &|line| {
        panic!("the program of these tests is there: {line}")
    })
}
