//! The mechanisms that this machine offers to confine programs, as `trial` has found them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::sub_ids::SubIds;
use crate::Mechanism;

/// The mechanisms that this machine offers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Offer {
    /// Whether namespaces need one of users first.
    pub(crate) user: bool,
    /// The users that belong to the arena's user, if it has others.
    pub(crate) sub_ids: Option<SubIds>,
    /// The version of Landlock's interface; 0 for none.
    pub(crate) landlock: i32,
    /// The refused mechanisms, each with the reason and the remedy.
    pub(super) refused: BTreeMap<Mechanism, String>,
}

impl Offer {
    /// Returns the reason why a mechanism is missing; `None` if it is there.
    pub(crate) fn refused(&self, mechanism: Mechanism) -> Option<&str> {
        self.refused.get(&mechanism).map(String::as_str)
    }

    /// Returns the same without a mechanism.
    #[cfg(test)]
    pub(crate) fn without(mut self, mechanism: Mechanism) -> Offer {
        let mut refuse = |mechanism| self.refused.insert(mechanism, "refused by the test".into());
        refuse(mechanism);
        if mechanism == Mechanism::Mounts && self.user {
            refuse(Mechanism::Processes);
            refuse(Mechanism::Network);
        }
        if mechanism == Mechanism::Landlock {
            self.landlock = 0;
        }
        self
    }
}
