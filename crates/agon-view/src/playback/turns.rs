//! At which steps turns begin.

use std::collections::BTreeMap;

/// The first steps of the turns that have been come across.
#[derive(Clone, Debug)]
pub(super) struct Turns {
    first_steps: BTreeMap<u64, u64>,
}

impl Turns {
    /// Only the first turn is known, which begins with the match.
    pub(super) fn beginning_with(turn: u64) -> Turns {
        Turns { first_steps: BTreeMap::from([(turn, 0)]) }
    }

    /// Turn `turn` begins with step `step`.
    pub(super) fn note(&mut self, turn: u64, step: u64) {
        self.first_steps.insert(turn, step);
    }

    /// The first step of a turn, if known.
    pub(super) fn first_step(&self, turn: u64) -> Option<u64> {
        self.first_steps.get(&turn).copied()
    }

    /// Steps that surely lie behind the beginning of the turn that `step` is in, most likely: as many as turns had so
    /// far, and one more.
    pub(super) fn guess(&self, turn: u64, step: u64) -> u64 {
        let first = self.first_steps.first_key_value().map_or(0, |(&turn, _)| turn);
        step / (turn.saturating_sub(first) + 1) + 1
    }
}
