//! [`Smuggler`]: what the built-in bots `smuggler` and `weaver` know and do.

use std::collections::{BTreeSet, VecDeque};

use super::super::{known_map::KnownMap, spot_map::Spot};
use super::{spiral::Spiral, wire_plan::WirePlan};
use crate::rezzo::Action;

/// What a smuggler knows and does.
#[derive(Default)]
pub(in crate::rezzo::bots) struct Smuggler {
    pub(super) known: KnownMap,
    pub(super) task: Task,
    /// Where it explores next.
    pub(super) spiral: Spiral,
    /// The way that it walks.
    pub(super) way: VecDeque<Spot>,
    /// Turns that it still makes to look around.
    pub(super) looks: VecDeque<Action>,
    /// Geysers of enemies.
    pub(super) geysers: BTreeSet<Spot>,
    /// Signals that it has watched.
    pub(super) watched: BTreeSet<Spot>,
    /// The wire that it lays, or has laid last.
    pub(super) plan: WirePlan,
    /// Whether it lays one wire after the other instead of guarding.
    pub(super) weaves: bool,
    /// Whether it has tried a wire that does not pass its own base, and whether it lays one.
    pub(super) has_tried_straight: bool,
    pub(super) lays_straight: bool,
    /// The cells of wires that are laid, and of their loops.
    pub(super) kept: BTreeSet<Spot>,
    /// When it may plan a wire again, and how long it rests after the next failure.
    pub(super) next_plan: u64,
    pub(super) rest: u64,
    /// When it may search for a way again while it guards.
    pub(super) next_way: u64,
    /// Where it was last, and since when.
    pub(super) last: (Spot, u64),
}

impl Smuggler {
    /// A smuggler that lays one wire after the other instead of guarding.
    pub(in crate::rezzo::bots) fn weaving() -> Smuggler {
        Smuggler { weaves: true, ..Smuggler::default() }
    }
}

/// What a smuggler does now.
#[derive(Default)]
pub(super) enum Task {
    /// Look for geysers and loops.
    #[default]
    Explore,
    /// Find out whether a signal comes again: its place, and until when.
    Watch(Spot, u64),
    /// Walk to the start of the planned wire.
    Approach,
    /// Lay the wire; the number of places already visited.
    Lay(usize),
    /// Wait for the flag until a tick, and cut what others lay to the own geysers.
    Guard(u64),
}

/// The ticks until it plans again if a wire was not possible.
pub(super) const REST: u64 = 100;
/// It gives a task up if it stays in the same place for so many ticks.
pub(super) const PATIENCE: u64 = 60;
/// Where it starts; all places are relative to it.
pub(super) const HOME: Spot = (0, 0);

/// The steps between two places.
pub(super) fn distance(a: Spot, b: Spot) -> u32 {
    a.0.abs_diff(b.0) + a.1.abs_diff(b.1)
}
