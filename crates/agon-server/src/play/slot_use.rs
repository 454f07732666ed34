//! What the slots for matches do, for administrators.

use std::sync::{Mutex, PoisonError};

use agon_arena::JobCounts;

/// What the slots for matches do.
#[derive(Debug, Default)]
pub(crate) struct SlotUse(Mutex<(usize, u64, u64)>);

impl SlotUse {
    /// Notes it.
    pub(crate) fn set(&self, counts: &JobCounts, slots: usize) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) =
            (slots, counts.given_out, counts.planned);
    }

    /// Returns how many slots there are, how many play, and how many matches wait for one.
    pub(crate) fn get(&self) -> (usize, u64, u64) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
