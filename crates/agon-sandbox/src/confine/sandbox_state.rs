//! The state of a sandbox while it is set up, which the steps of `confine` pass on.

use std::ffi::{OsStr, OsString};
use std::{collections::BTreeMap, io};

use rustix::process::{getegid, geteuid};
use serde::{Deserialize, Serialize};

use super::claim::Claim;
use super::sub_ids::{INSIDE, SubIds};
use crate::{Confinement, Mechanism, Missing, Sandbox};

/// The state of a sandbox: mechanisms that hold, and mechanisms that are missing.
#[derive(Clone, Debug, Default)]
pub(crate) struct SandboxState {
    pub(crate) confinement: Confinement,
    /// The user that the program will run as.
    pub(super) identity: Identity,
    /// Keeps other boxes from that user.
    pub(super) claim: Option<Claim>,
    /// Whether root starts it.
    pub(super) root: bool,
    /// The version of Landlock's interface; 0 for none.
    pub(super) landlock: i32,
    /// The kernel's limit of processes.
    pub(super) processes: Option<u64>,
    /// The rest of the setup in a pooled sandbox; `None` in a new one.
    pub(super) unfinished: Option<Fresh>,
    /// Whether its pooled sandbox must not be used again.
    pub(crate) untidy: bool,
}

impl SandboxState {
    /// Returns whether a mechanism holds.
    pub(crate) fn has(&self, mechanism: Mechanism) -> bool {
        self.confinement.active.iter().any(|(active, _)| *active == mechanism)
    }

    /// Returns the folder that the program may write to, its `TMPDIR`.
    pub(crate) fn scratch<'a>(&self, sandbox: &'a Sandbox) -> &'a OsStr {
        if self.has(Mechanism::Mounts) { OsStr::new("/tmp") } else { &sandbox.fallback }
    }

    pub(super) fn holds(&mut self, mechanism: Mechanism, words: impl Into<String>) {
        self.confinement.active.push((mechanism, words.into()));
    }

    pub(super) fn lacks(&mut self, mechanism: Mechanism, why: impl Into<String>) {
        self.confinement.missing.push(Missing { mechanism, why: why.into() });
    }

    /// Fails if a required mechanism is missing.
    pub(super) fn complete(&self, sandbox: &Sandbox) -> Result<(), ConfineError> {
        if !sandbox.strict || self.confinement.missing.is_empty() {
            return Ok(());
        }
        let reasons: Vec<_> =
            self.confinement.missing.iter().map(|missing| missing.why.as_str()).collect();
        let source = io::Error::new(io::ErrorKind::Unsupported, reasons.join("; "));
        Err(ConfineError {
            what: "the sandbox would be incomplete, which the strict one must not be".into(),
            source,
        })
    }
}

/// The reason why a program is not started.
#[derive(Debug, thiserror::Error)]
#[error("{what}: {source}")]
pub(crate) struct ConfineError {
    pub(crate) what: String,
    pub(crate) source: io::Error,
}

/// Adds the failed action to an error. Nothing is allocated for an action that is a literal, unless
/// it fails.
pub(crate) fn failed<E: Into<io::Error>>(
    what: impl Into<String>,
) -> impl FnOnce(E) -> ConfineError {
    move |source| ConfineError { what: what.into(), source: source.into() }
}

/// The private parts of each program in an existing root: a scratch folder and a `/proc`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Fresh {
    /// The visible files below the scratch folder; none of them is inside another.
    pub(super) shown: Vec<OsString>,
    /// Links there, with their targets.
    pub(super) links: Vec<(OsString, OsString)>,
    /// Folders there.
    pub(super) folders: Vec<OsString>,
}

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
