//! What is to be started, and what it may do.

use std::{ffi::OsString, time::Duration};

use serde::{Deserialize, Serialize};

use crate::Snapshot;

/// A program to be started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Order {
    /// The whole path of the program.
    pub program: OsString,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// All of its environment.
    pub env: Vec<(OsString, OsString)>,
    /// The whole path of the folder it starts in.
    pub folder: OsString,
    /// The processor cores it may run on; empty for those of whoever asks.
    pub cores: Vec<usize>,
    /// What it may use.
    pub limits: Limits,
    /// How it is confined; `None` for not at all.
    pub sandbox: Option<Sandbox>,
    /// What it sees as it was once, and not as it is now.
    pub snapshot: Snapshot,
    /// Once the program has ended, how long what it has started may take to end by itself. All the
    /// same it is told at once how the program ended if nothing is left.
    pub grace: Duration,
}

/// What a program with all that it starts may use; `None` for as much as whoever asks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Seconds of CPU time of one process.
    pub cpu: Option<u64>,
    /// Bytes of memory, of one process and of all together.
    pub memory: Option<u64>,
    /// Processes and threads.
    pub processes: Option<u64>,
    /// Open files of one process.
    pub files: Option<u64>,
    /// Bytes of one file that it writes.
    pub file: Option<u64>,
}

/// How a program is confined. What is not named it does not see.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sandbox {
    /// Whether it is an error if a mechanism is missing; otherwise the program is confined as well
    /// as can be.
    pub strict: bool,
    /// Whole paths of folders and files that it may read, and execute, beside those of the system.
    pub read: Vec<OsString>,
    /// Whole paths of folders that it may write to, beside its scratch folder.
    pub write: Vec<OsString>,
    /// Folders among those that it may write to, each with the bytes that it may hold, files that
    /// are open and have no name any more left out.
    pub bounded: Vec<(OsString, u64)>,
    /// Bytes that its scratch folder, `/tmp`, may hold.
    pub scratch: u64,
    /// An empty folder to be used as scratch folder where `/tmp` cannot be had: without a mount
    /// namespace.
    pub fallback: OsString,
}
