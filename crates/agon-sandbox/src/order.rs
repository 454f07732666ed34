//! An order to start a program, with its limits and its confinement. The arena sends it to the
//! zygote.

use std::{ffi::OsString, time::Duration};

use serde::{Deserialize, Serialize};

use crate::Snapshot;

/// A program to start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Order {
    /// The whole path of the program.
    pub program: OsString,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Its complete environment.
    pub env: Vec<(OsString, OsString)>,
    /// The whole path of the folder it starts in.
    pub folder: OsString,
    /// The processor cores that it may use; empty for the cores of the calling process.
    pub cores: Vec<usize>,
    /// The resources that it may use.
    pub limits: Limits,
    /// Its confinement; `None` for none.
    pub sandbox: Option<Sandbox>,
    /// Copies of files that it sees instead of their current versions.
    pub snapshot: Snapshot,
    /// Time for its children to end after it. If none is left, the end is reported at once.
    pub grace: Duration,
}

/// The resources of a program with all its processes.
///
/// `None` is no limit beyond those of the calling process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Seconds of CPU time of one process.
    pub cpu: Option<u64>,
    /// Bytes of memory that all its processes together use. It is measured every 20 ms.
    pub memory: Option<u64>,
    /// Processes and threads.
    pub processes: Option<u64>,
    /// Open files of one process.
    pub files: Option<u64>,
    /// Bytes of each file that it writes.
    pub file: Option<u64>,
}

/// The confinement of a program. It sees only the files and folders named here.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sandbox {
    /// Whether a missing mechanism is an error.
    ///
    /// Otherwise the program is confined as well as possible.
    pub strict: bool,
    /// Whether it runs as a user of its own where the arena's user has others, although files of
    /// the arena's user may be closed to that one. Under root all programs do.
    pub own_user: bool,
    /// Whole paths of folders and files that it may read and execute, beside those of the system.
    pub read: Vec<OsString>,
    /// Whole paths of folders that it may write to, beside its scratch folder.
    pub write: Vec<OsString>,
    /// Whether later programs get the same writable folders, and so can use its sandbox again.
    ///
    /// What is in the folders is then the arena's matter.
    pub lasting: bool,
    /// Writable folders with a size limit in bytes. Open files without a name do not count.
    pub bounded: Vec<(OsString, u64)>,
    /// The most bytes in its scratch folder, `/tmp`.
    pub scratch: u64,
    /// An empty folder, used as the scratch folder where `/tmp` cannot be replaced.
    ///
    /// That is the case without a mount namespace.
    pub fallback: OsString,
}
