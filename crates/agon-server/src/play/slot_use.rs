//! What the slots for matches do, for administrators.

use std::sync::{Mutex, PoisonError};

use agon_arena::SlotCounts;

/// What the slots for matches do.
#[derive(Debug, Default)]
pub(crate) struct SlotUse(Mutex<SlotCounts>);

impl SlotUse {
    /// Notes it.
    pub(crate) fn set(&self, counts: SlotCounts) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = counts;
    }

    /// Returns what they do.
    pub(crate) fn get(&self) -> SlotCounts {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
