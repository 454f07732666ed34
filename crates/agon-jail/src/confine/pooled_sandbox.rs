//! Pooled sandboxes, which programs use one after the other.
//!
//! Making the namespaces and the root folder takes most of a start. So the first program of a bot
//! leaves a *pooled sandbox* behind: its namespaces of networks, names and System V objects, and a
//! namespace of mounts in which no program ever runs. The next start of the same program enters the
//! former and gets a copy of the latter, in which `/tmp` and `/proc` are new. No program can hand
//! anything on to the next one, for these reasons:
//!
//! - a pooled sandbox has one program at a time, and is free when the last process of the former
//!   one is dead;
//! - filters of system calls forbid everything that would stay in these namespaces: names and
//!   System V objects can be neither made nor changed, and all sockets but unix ones are refused;
//!   without such filters there are no pooled sandboxes;
//! - unix sockets end with their processes, and a namespace in which there still is one is not used
//!   again;
//! - the root folder is mounted read-only, and whatever is mounted in the copy ends with it.
//!
//! Programs with folders of their own that they may write to have no pooled sandboxes: such folders
//! are new each time.

use std::{
    ffi::OsString,
    fs, io,
    os::{
        fd::{AsFd, OwnedFd},
        unix::fs::MetadataExt,
    },
    path::Path,
};

use rustix::{
    fs::{Mode, OFlags, open},
    thread::{LinkNameSpaceType, UnshareFlags, move_into_link_name_space},
};
use serde::{Deserialize, Serialize};

use super::{
    ConfineError, SandboxState, failed, identity::Identity, namespaces, plan::home, root::Fresh,
};
use crate::{Mechanism, Order, Snapshot};

/// The parts of an order that the root folder depends on. They tell pooled sandboxes apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    program: OsString,
    folder: OsString,
    home: Option<OsString>,
    read: Vec<OsString>,
    snapshot: Snapshot,
}

impl Key {
    /// Returns the key of an order; `None` if its programs have no pooled sandboxes.
    pub(crate) fn of(order: &Order) -> Option<Key> {
        let sandbox = order.sandbox.as_ref().filter(|sandbox| sandbox.write.is_empty())?;
        let home = home(order).map(|home| home.as_os_str().to_owned());
        Some(Key {
            program: order.program.clone(),
            folder: order.folder.clone(),
            home,
            read: sandbox.read.clone(),
            snapshot: order.snapshot.clone(),
        })
    }
}

/// Namespaces with a root folder that has been set up.
#[derive(Debug)]
pub(crate) struct PooledSandbox {
    /// In the order in which they are entered: of users if one is needed, of mounts at last.
    spaces: Vec<OwnedFd>,
    facts: Facts,
}

/// The description of a pooled sandbox.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Facts {
    identity: Identity,
    /// Device and number of each file and folder of the order that it shows.
    shown: Vec<(u64, u64)>,
    /// What is made anew in the copy.
    pub(super) fresh: Fresh,
}

/// Names of the namespaces below `/proc/self/ns`. That of mounts comes last: in it there is no
/// `/proc`.
const SPACES: [(&str, LinkNameSpaceType); 5] = [
    ("user", LinkNameSpaceType::User),
    ("ipc", LinkNameSpaceType::InterProcessCommunication),
    ("uts", LinkNameSpaceType::HostNameAndNISDomainName),
    ("net", LinkNameSpaceType::Network),
    ("mnt", LinkNameSpaceType::Mount),
];

/// The namespaces that a pooled sandbox has.
fn kinds(identity: Identity) -> impl Iterator<Item = (&'static str, LinkNameSpaceType)> {
    let of_user = matches!(identity, Identity::Namespace(_));
    SPACES.into_iter().skip(usize::from(!of_user))
}

impl PooledSandbox {
    /// The namespaces of the calling process, as a `/proc` of the machine shows them, with its root
    /// folder; `None` if they cannot be used again.
    pub(super) fn of_own(
        order: &Order,
        room: &SandboxState,
        proc: &Path,
        fresh: Fresh,
    ) -> Option<PooledSandbox> {
        let needed =
            [Mechanism::Mounts, Mechanism::Processes, Mechanism::Network, Mechanism::Seccomp];
        if !needed.into_iter().all(|mechanism| room.has(mechanism)) {
            return None;
        }
        let space = |(name, _)| {
            let path = proc.join("self/ns").join(name);
            open(path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).ok()
        };
        let spaces = kinds(room.identity).map(space).collect::<Option<Vec<_>>>()?;
        // Some containers allow to make namespaces, but not to enter them: tried with one that this
        // process is in.
        let ((_, names), own) =
            kinds(room.identity).zip(&spaces).find(|((name, _), _)| *name == "uts")?;
        move_into_link_name_space(own.as_fd(), Some(names)).ok()?;
        let shown = named(order)?;
        Some(PooledSandbox { spaces, facts: Facts { identity: room.identity, shown, fresh } })
    }

    /// Makes a pooled sandbox of its parts, as they were received.
    pub(crate) fn new(facts: Facts, spaces: Vec<OwnedFd>) -> Option<PooledSandbox> {
        (spaces.len() == kinds(facts.identity).count()).then_some(PooledSandbox { spaces, facts })
    }

    /// Its parts, as they are sent.
    pub(crate) fn parts(&self) -> (&Facts, &[OwnedFd]) {
        (&self.facts, &self.spaces)
    }

    /// Whether it shows the files and folders that the order names now: somebody may have replaced
    /// some of them.
    pub(super) fn fits(&self, order: &Order) -> bool {
        Path::new(&order.folder).is_dir()
            && named(order).is_some_and(|named| named == self.facts.shown)
    }

    /// The user that only programs in this sandbox run as.
    pub(crate) fn user(&self) -> Option<u32> {
        match self.facts.identity {
            Identity::Spare(user) => Some(user),
            Identity::Same | Identity::Namespace(_) => None,
        }
    }

    /// Enters it, with a namespace of processes and a copy of the root folder for this program
    /// alone.
    pub(super) fn enter(&self, room: &mut SandboxState) -> Result<(), ConfineError> {
        let error = || "cannot enter a sandbox that is used again";
        for ((name, kind), space) in kinds(self.facts.identity).zip(&self.spaces) {
            move_into_link_name_space(space.as_fd(), Some(kind)).map_err(failed(error()))?;
            if name == "net" && !is_silent() {
                namespaces::unshare(UnshareFlags::NEWNET).map_err(failed(error()))?;
                room.untidy = true;
            }
        }
        namespaces::unshare(UnshareFlags::NEWNS | UnshareFlags::NEWPID).map_err(failed(error()))?;
        room.identity = self.facts.identity;
        room.unfinished = Some(self.facts.fresh.clone());
        namespaces::hold_all(room);
        Ok(())
    }
}

/// Whether there are no sockets in the namespace of networks.
fn is_silent() -> bool {
    // A heading, and a line for each. No other sockets can be made.
    fs::read_to_string("/proc/self/net/unix").is_ok_and(|table| table.lines().count() == 1)
}

/// What an order names that a program sees, by device and number; `None` if something is not there.
fn named(order: &Order) -> Option<Vec<(u64, u64)>> {
    let read = order.sandbox.iter().flat_map(|sandbox| &sandbox.read);
    let number = |path: &OsString| {
        let copy = order.snapshot.copy_of(Path::new(path));
        let facts = fs::metadata(copy.as_deref().unwrap_or(Path::new(path))).ok()?;
        Some((facts.dev(), facts.ino()))
    };
    [&order.program].into_iter().chain(read).chain(&order.snapshot.live).map(number).collect()
}

impl Facts {
    /// As they are sent.
    pub(crate) fn to_bytes(&self) -> io::Result<Vec<u8>> {
        postcard::to_stdvec(self).map_err(io::Error::other)
    }

    /// `None` if this is something else.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Facts> {
        postcard::from_bytes(bytes).ok()
    }
}
