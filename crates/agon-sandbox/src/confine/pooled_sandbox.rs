//! Pooled sandboxes, which programs use one after another.
//!
//! Making the namespaces and the root folder takes most of a start. So the first program of a bot
//! leaves a *pooled sandbox* behind. It has namespaces of networks, names and System V objects, and
//! a namespace of mounts in which no program ever runs. The next start of the same program enters
//! the first three. It gets a copy of the last one, with a new `/tmp` and `/proc`. No program can
//! pass anything on to the next one, for these reasons:
//!
//! - A pooled sandbox has one program at a time. It is free once the last process of the previous
//!   program is dead.
//! - Filters of system calls forbid everything that would stay in these namespaces. Names and
//!   System V objects can be neither made nor changed, and all sockets except unix ones are
//!   refused. Without such filters there are no pooled sandboxes.
//! - Unix sockets end with their processes. A namespace that still has one is not used again.
//! - The root folder is mounted read-only, and everything mounted in the copy ends with it.
//!
//! Programs with writable folders of their own have no pooled sandboxes, because such folders are
//! new each time. The runners of one bot in one match are the exception: the arena empties their
//! folder between two of them ([`lasting`](crate::Sandbox::lasting)). Programs with a loopback
//! address have none either: their connections can outlive them.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::{ffi::OsString, fs, os::unix::fs::MetadataExt};

use rustix::fs::{Mode, OFlags, open};
use rustix::thread::{LinkNameSpaceType, UnshareFlags, move_into_link_name_space};
use serde::{Deserialize, Serialize};

use super::sandbox_state::{Fresh, Identity};
use super::{ConfineError, SandboxState, claim::Claim, failed, namespaces, plan::home};
use crate::{Mechanism, Order, Sandbox, Snapshot};

/// The parts of an order that its root folder depends on. They identify pooled sandboxes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    program: OsString,
    folder: OsString,
    home: Option<OsString>,
    read: Vec<OsString>,
    write: Vec<OsString>,
    snapshot: Snapshot,
}

impl Key {
    /// Returns the key of an order; `None` if its programs have no pooled sandboxes.
    pub(crate) fn of(order: &Order) -> Option<Key> {
        let can_last =
            |sandbox: &&Sandbox| !sandbox.loopback && (sandbox.lasting || sandbox.write.is_empty());
        let sandbox = order.sandbox.as_ref().filter(can_last)?;
        let home = home(order).map(|home| home.as_os_str().to_owned());
        Some(Key {
            program: order.program.clone(),
            folder: order.folder.clone(),
            home,
            read: sandbox.read.clone(),
            write: sandbox.write.clone(),
            snapshot: order.snapshot.clone(),
        })
    }
}

/// Namespaces with a complete root folder.
#[derive(Debug)]
pub(crate) struct PooledSandbox {
    /// In the order of entering: a namespace of users first, if needed, and that of mounts last.
    spaces: Vec<OwnedFd>,
    /// Keeps its user for it.
    claim: Option<Claim>,
    facts: Facts,
}

/// The description of a pooled sandbox.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Facts {
    identity: Identity,
    /// Device and number of each shown file and folder of the order.
    shown: Vec<(u64, u64)>,
    /// The parts that are new in each copy.
    pub(super) fresh: Fresh,
}

/// Names of the namespaces below `/proc/self/ns`.
///
/// That of mounts comes last, because it has no `/proc`.
const SPACES: [(&str, LinkNameSpaceType); 5] = [
    ("user", LinkNameSpaceType::User),
    ("ipc", LinkNameSpaceType::InterProcessCommunication),
    ("uts", LinkNameSpaceType::HostNameAndNISDomainName),
    ("net", LinkNameSpaceType::Network),
    ("mnt", LinkNameSpaceType::Mount),
];

/// Returns the namespaces that a pooled sandbox has.
fn kinds(identity: Identity) -> impl Iterator<Item = (&'static str, LinkNameSpaceType)> {
    let of_user = matches!(identity, Identity::Namespace(_) | Identity::Sub(_));
    SPACES.into_iter().skip(usize::from(!of_user))
}

impl PooledSandbox {
    /// Takes the calling process's namespaces, by a `/proc` of the machine, and its root folder.
    ///
    /// `None` if they cannot be used again.
    pub(super) fn of_own(
        order: &Order,
        state: &SandboxState,
        proc: &Path,
        fresh: Fresh,
    ) -> Option<PooledSandbox> {
        let needed =
            [Mechanism::Mounts, Mechanism::Processes, Mechanism::Network, Mechanism::Seccomp];
        if !needed.into_iter().all(|mechanism| state.has(mechanism)) {
            return None;
        }
        let space = |(name, _)| {
            let path = proc.join("self/ns").join(name);
            open(path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).ok()
        };
        let spaces = kinds(state.identity).map(space).collect::<Option<Vec<_>>>()?;
        // Some containers allow making namespaces, but not entering them. So this tries one that
        // the process is already in.
        let ((_, names), own) =
            kinds(state.identity).zip(&spaces).find(|((name, _), _)| *name == "uts")?;
        move_into_link_name_space(own.as_fd(), Some(names)).ok()?;
        // Each place in its own root shows what the machine has as a copy of it.
        let shown = named(order, |_| None)?;
        let facts = Facts { identity: state.identity, shown, fresh };
        Some(PooledSandbox { spaces, claim: state.claim.clone(), facts })
    }

    /// Makes a pooled sandbox of its received parts.
    pub(crate) fn new(facts: Facts, mut spaces: Vec<OwnedFd>) -> Option<PooledSandbox> {
        let claim = match facts.identity {
            Identity::Spare(user) | Identity::Sub(user) => Some(Claim::new(user, spaces.pop()?)),
            Identity::Same | Identity::Namespace(_) => None,
        };
        let complete = spaces.len() == kinds(facts.identity).count();
        complete.then_some(PooledSandbox { spaces, claim, facts })
    }

    /// Returns its parts for sending: a description, and descriptors.
    pub(crate) fn parts(&self) -> (&Facts, Vec<BorrowedFd<'_>>) {
        let spaces = self.spaces.iter().map(AsFd::as_fd);
        (&self.facts, spaces.chain(self.claim.iter().map(AsFd::as_fd)).collect())
    }

    /// Returns whether it still shows the files and folders that the order names.
    ///
    /// Somebody may have replaced some of them.
    pub(super) fn fits(&self, order: &Order) -> bool {
        Path::new(&order.folder).is_dir()
            && named(order, |path| order.snapshot.copy_of(path))
                .is_some_and(|named| named == self.facts.shown)
    }

    /// Enters it, with a private namespace of processes and copy of the root folder.
    pub(super) fn enter(&self, state: &mut SandboxState) -> Result<(), ConfineError> {
        let error = || "cannot enter a sandbox that is used again";
        for ((name, kind), space) in kinds(self.facts.identity).zip(&self.spaces) {
            move_into_link_name_space(space.as_fd(), Some(kind)).map_err(failed(error()))?;
            if name == "net" && !is_silent() {
                namespaces::unshare(UnshareFlags::NEWNET).map_err(failed(error()))?;
                state.untidy = true;
            }
        }
        namespaces::unshare(UnshareFlags::NEWNS | UnshareFlags::NEWPID).map_err(failed(error()))?;
        state.identity = self.facts.identity;
        state.unfinished = Some(self.facts.fresh.clone());
        namespaces::hold_all(state);
        Ok(())
    }
}

/// Returns whether the namespace of networks has no sockets.
fn is_silent() -> bool {
    // A heading, and a line for each socket. No other kinds of sockets can be made.
    fs::read_to_string("/proc/self/net/unix").is_ok_and(|table| table.lines().count() == 1)
}

/// Returns device and number of everything that the order names; `None` if something is missing.
///
/// `copy_of` returns where else the machine has what a place in the sandbox shows.
fn named(order: &Order, copy_of: impl Fn(&Path) -> Option<PathBuf>) -> Option<Vec<(u64, u64)>> {
    let shown = order.sandbox.iter().flat_map(|sandbox| sandbox.read.iter().chain(&sandbox.write));
    let number = |path: &OsString| {
        let path = Path::new(path);
        let facts = fs::metadata(copy_of(path).as_deref().unwrap_or(path)).ok()?;
        Some((facts.dev(), facts.ino()))
    };
    [&order.program].into_iter().chain(shown).chain(&order.snapshot.live).map(number).collect()
}
