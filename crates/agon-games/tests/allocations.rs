//! Tests the memory of a match: it does not grow during the match, and stays below the documented
//! limit.
//!
//! All is in one test, since the allocator counts for the whole process.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use agon_core::GameExt;
use agon_games::BuiltinBots;
use agon_games::amoebas::{self, Amoebas};
use agon_games::binfection::{self, Binfection};
use agon_games::cellhack::{self, Cellhack};
use agon_games::cluster::{self, Cluster};
use agon_games::rezzo::{self, Rezzo};
use dhat::HeapStats;
use support::Playout;

#[path = "../benches/support/mod.rs"]
mod support;

#[global_allocator]
static ALLOCATOR: dhat::Alloc = dhat::Alloc;

/// Plays `before` steps, and then `counted` ones in which the rules must not allocate. The state
/// may take `most` bytes, as docs/performance.md says.
fn check<G: BuiltinBots>(
    rules: G::Rules,
    bots: &'static [&'static str],
    before: u64,
    counted: u64,
    most: usize,
) {
    let playout =
        Playout::<G> { steps: before + counted, ..Playout::new(G::META.id, rules, bots, (0, 0)) };
    let script = playout.script(&playout.starts()[0]);
    assert_eq!(script.len() as u64, before + counted, "{} is over too early", G::META.id);

    let bytes = HeapStats::get().curr_bytes;
    // Not a copy: copies have no room to spare.
    let mut game = playout.starts().remove(0);
    for (step, answers) in (0..).zip(&script) {
        let blocks = HeapStats::get().total_blocks;
        game.step(answers);
        let allocated = HeapStats::get().total_blocks - blocks;
        assert!(
            step < before || allocated == 0,
            "{}: {allocated} allocations in step {step}",
            G::META.id
        );
    }
    assert!(!game.is_over());
    let taken = HeapStats::get().curr_bytes - bytes;
    assert!(taken <= most, "{}: a match takes {taken} bytes, not {most} at most", G::META.id);
}

#[test]
fn a_match_under_way_allocates_nothing() {
    let _profiler = dhat::Profiler::builder().testing().build();
    let four = &["slightly-brainy", "slightly-brainy", "mutating", "brood"];
    check::<Amoebas>(amoebas::Rules::default(), four, 6_000, 500, 3 << 20);
    let field =
        binfection::Rules { field_width: 40, field_height: 40, ..binfection::Rules::default() };
    check::<Binfection>(field, &["general", "spreader"], 70, 20, 200 << 10);
    let four = &["swarm", "hunter", "grower", "random"];
    check::<Cellhack>(cellhack::Rules::default(), four, 300, 100, 200 << 10);
    check::<Cluster>(cluster::Rules::default(), &["random", "random"], 10, 20, 50 << 10);
    check::<Rezzo>(rezzo::Rules::default(), &["raider", "raider", "wanderer"], 300, 100, 400 << 10);
}
