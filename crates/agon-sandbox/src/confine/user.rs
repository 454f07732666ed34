//! The user that a program runs as: the same as the arena's, or one of its own.

use rustix::process::{getegid, geteuid};
use serde::{Deserialize, Serialize};

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
}

impl Identity {
    /// Returns the user and group that the program sees.
    pub(super) fn ids(self) -> (u32, u32) {
        match self {
            Identity::Same => (geteuid().as_raw(), getegid().as_raw()),
            Identity::Spare(id) => (id, id),
            Identity::Namespace(ids) => ids,
        }
    }
}
