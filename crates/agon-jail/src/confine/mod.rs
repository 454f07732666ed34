//! Confining a program, step by step.
//!
//! All steps run in processes with one thread, forked for this one program:
//!
//! 1. the keeper calls [`enter`]: new namespaces;
//! 2. its child, the first process of the new namespaces, calls [`furnish`]: what there is to see;
//! 3. the child of that one, which becomes the program, calls [`lock`]: limits, identity, filters.

use std::io;

use crate::{Confinement, Mechanism, Order};

/// What has been entered, and what is known to be missing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Room {
    pub(crate) confinement: Confinement,
}

impl Room {
    /// Whether the next child is the first of a namespace of processes.
    pub(crate) fn has_processes(&self) -> bool {
        self.confinement.active.iter().any(|(mechanism, _)| *mechanism == Mechanism::Processes)
    }
}

/// Why a program is not started.
#[derive(Debug, thiserror::Error)]
#[error("{what}: {source}")]
pub(crate) struct ConfineError {
    pub(crate) what: String,
    pub(crate) source: io::Error,
}

/// Enters new namespaces; children of the calling process are in all of them.
pub(crate) fn enter(order: &Order) -> Result<Room, ConfineError> {
    let _ = order;
    Ok(Room::default())
}

/// Makes what the program sees: folders, processes, devices.
pub(crate) fn furnish(order: &Order, room: &mut Room) -> Result<(), ConfineError> {
    let _ = (order, room);
    Ok(())
}

/// Gives up all that the program must not have. Only executing the program may follow.
pub(crate) fn lock(order: &Order, room: &Room) -> Result<(), ConfineError> {
    let _ = (order, room);
    Ok(())
}
