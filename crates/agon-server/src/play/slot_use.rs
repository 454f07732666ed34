//! What the slots for matches do, and what is known of workers on other machines.

use std::{
    collections::BTreeSet,
    sync::{Mutex, PoisonError},
};

use agon_arena::SlotCounts;
use agon_remote::FleetState;

/// What the slots for matches do.
#[derive(Debug, Default)]
pub(crate) struct SlotUse {
    counts: Mutex<SlotCounts>,
    fleet: Mutex<FleetState>,
}

impl SlotUse {
    /// Notes it.
    pub(crate) fn set(&self, counts: SlotCounts) {
        *self.counts.lock().unwrap_or_else(PoisonError::into_inner) = counts;
    }

    /// Notes what is known of workers on other machines.
    pub(crate) fn set_fleet(&self, fleet: &FleetState) {
        let mut kept = self.fleet.lock().unwrap_or_else(PoisonError::into_inner);
        if *kept != *fleet {
            kept.clone_from(fleet);
        }
    }

    /// Returns what is known of workers on other machines.
    pub(crate) fn fleet(&self) -> FleetState {
        self.fleet.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the needed programs that no worker has; nothing if no worker is known.
    pub(crate) fn lacks(&self, needed: &BTreeSet<String>) -> Vec<String> {
        let programs = self.fleet().programs;
        let lacks = programs.as_ref().map(|programs| needed.difference(programs));
        lacks.into_iter().flatten().cloned().collect()
    }

    /// Returns what they do.
    pub(crate) fn get(&self) -> SlotCounts {
        *self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
