//! Tests the memory of a match: it does not grow during the match, and stays below the documented
//! limit.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use agon_core::GameExt;
use agon_games::BuiltinBots;
use agon_games::amoebas::{self, Amoebas};
use agon_games::binfection::{self, Binfection};
use agon_games::cellhack::{self, Cellhack};
use agon_games::cluster::{self, Cluster};
use agon_games::rezzo::{self, Rezzo};

use crate::support::Playout;

/// The allocator of this test program: the system's, which counts for each thread, because other
/// tests run beside this one.
struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

thread_local! {
    /// Blocks that the thread has allocated so far; a block that grows is a new one.
    static BLOCKS: Cell<u64> = const { Cell::new(0) };
    /// Bytes that the thread has allocated, without those that it has freed.
    static BYTES: Cell<isize> = const { Cell::new(0) };
}

fn count(blocks: u64, bytes: isize) {
    BLOCKS.set(BLOCKS.get() + blocks);
    BYTES.set(BYTES.get() + bytes);
}

#[allow(unsafe_code, reason = "an allocator hands out memory")]
// SAFETY: the system's allocator does the work, with what it is given here.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(1, layout.size() as isize);
        // SAFETY: the caller keeps the promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        count(0, -(layout.size() as isize));
        // SAFETY: the caller keeps the promises.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(1, size as isize - layout.size() as isize);
        // SAFETY: the caller keeps the promises.
        unsafe { System.realloc(block, layout, size) }
    }
}

/// Plays `before` steps, and then `counted` ones in which the rules must not allocate. The state
/// may take `most` bytes, as docs/performance.md says.
fn check<G: BuiltinBots>(
    rules: G::Rules,
    bots: &'static [&'static str],
    before: u64,
    counted: u64,
    most: isize,
) {
    let playout =
        Playout::<G> { steps: before + counted, ..Playout::new(G::META.id, rules, bots, (0, 0)) };
    let script = playout.script(&playout.starts()[0]);
    assert_eq!(script.len() as u64, before + counted, "{} is over too early", G::META.id);

    let bytes = BYTES.get();
    // Not a copy: copies have no room to spare.
    let mut game = playout.starts().remove(0);
    for (step, answers) in (0..).zip(&script) {
        let blocks = BLOCKS.get();
        game.step(answers);
        let allocated = BLOCKS.get() - blocks;
        assert!(
            step < before || allocated == 0,
            "{}: {allocated} allocations in step {step}",
            G::META.id
        );
    }
    assert!(!game.is_over());
    let taken = BYTES.get() - bytes;
    assert!(taken <= most, "{}: a match takes {taken} bytes, not {most} at most", G::META.id);
}

#[test]
fn a_match_under_way_allocates_nothing() {
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
