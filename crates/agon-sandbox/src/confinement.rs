//! Reports which mechanisms confine a program, and which ones are missing.
//!
//! `agon` warns a person about missing ones, and `agon doctor` lists all of them.

use serde::{Deserialize, Serialize};

/// The mechanisms of the kernel that confine a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mechanism {
    /// A namespace of mounts: it sees only what it needs, and a scratch folder of limited size.
    Mounts,
    /// A namespace of processes: it sees only its own, and they all end with it.
    Processes,
    /// A namespace of networks: it has no network.
    Network,
    /// Landlock: a second check that it reads and writes only allowed files.
    Landlock,
    /// Filtered system calls.
    Seccomp,
    /// It runs as a user of its own, or without the privileges of the user who started it.
    Identity,
    /// The kernel limits its memory, open files, file sizes.
    Limits,
    /// The kernel limits the number of its processes.
    ///
    /// Otherwise they are only counted, every few milliseconds.
    ProcessLimit,
}

/// A mechanism that is missing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Missing {
    /// The mechanism.
    pub mechanism: Mechanism,
    /// The reason in one sentence, with the remedy if there is one.
    pub why: String,
}

/// The confinement of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confinement {
    /// Mechanisms that hold, each with a note: `Landlock` with "ABI 7".
    pub active: Vec<(Mechanism, String)>,
    /// Mechanisms that are missing.
    pub missing: Vec<Missing>,
}
