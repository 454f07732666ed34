//! The user that a program runs as: the same as the arena's, or one of its own.

use rustix::process::{getegid, geteuid};
use serde::{Deserialize, Serialize};

use super::sub_ids::INSIDE;

/// The user that a program runs as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Identity {
    /// The user who starts it, but without privileges.
    #[default]
    Same,
    /// A user and group of its own.
    Spare(u32),
    /// The user who starts it, with this user and group in a namespace of users.
    Namespace((u32, u32)),
    /// A user and group of its own that belong to the user who starts it: these numbers on the
    /// machine, and [`INSIDE`] in a namespace of users.
    Sub(u32),
}

impl Identity {
    /// Returns the user and group that the program's process still has to become.
    pub(super) fn own(self) -> Option<u32> {
        match self {
            Identity::Spare(id) => Some(id),
            Identity::Sub(_) => Some(INSIDE),
            Identity::Same | Identity::Namespace(_) => None,
        }
    }

    /// Returns the user and group that the program sees.
    pub(super) fn ids(self) -> (u32, u32) {
        match self {
            Identity::Same => (geteuid().as_raw(), getegid().as_raw()),
            Identity::Spare(id) => (id, id),
            Identity::Namespace(ids) => ids,
            Identity::Sub(_) => (INSIDE, INSIDE),
        }
    }
}
