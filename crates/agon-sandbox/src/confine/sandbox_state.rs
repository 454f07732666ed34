//! The state of a sandbox while it is set up, which the steps of `confine` pass on.

use std::{ffi::OsStr, io};

use super::{claim::Claim, error::ConfineError, fresh::Fresh, user::Identity};
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
