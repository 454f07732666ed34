//! Options for the confinement of bots' programs, such as strictness and memory. A person sets them
//! with flags.

use std::path::PathBuf;

use crate::HostExecutable;

/// The memory that a program may use in MiB, unless [`SandboxOptions::memory`] says otherwise.
pub const MEMORY: u32 = 1024;

/// The strictness of the confinement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Level {
    /// No confinement: programs may do everything that the arena may.
    ///
    /// Their processes still end with them.
    Off,
    /// As much as this machine can.
    ///
    /// [`missing`](crate::sandbox::missing) returns the mechanisms that it lacks.
    #[default]
    Default,
    /// Full confinement, or the program is not started.
    ///
    /// It sees only the installed runtimes that are named.
    Strict,
}

/// Options for the confinement of bots' programs.
#[derive(Clone, Debug, Default)]
pub struct SandboxOptions {
    /// The strictness.
    pub level: Level,
    /// The most memory of a bot in MiB, all its processes together; `None` for [`MEMORY`].
    pub memory: Option<u32>,
    /// Folders and files that bots may read beside their own.
    pub read: Vec<PathBuf>,
    /// Folders that bots may write to.
    pub write: Vec<PathBuf>,
    /// Environment variables that bots get beside the usual ones.
    pub env: Vec<String>,
    /// Places of the arena with secrets: no installed runtime with one of them in it is shown as a
    /// whole.
    pub hidden: Vec<PathBuf>,
    /// The program that starts programs; `None` for `agon-sandbox` beside this one.
    pub launcher: Option<HostExecutable>,
}

/// Needs of a program beside the usual ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Needs {
    /// Folders and files that it reads.
    pub(crate) read: Vec<PathBuf>,
    /// Folders that it writes to.
    pub(crate) write: Vec<PathBuf>,
    /// Whether later starts of it have the same such folders.
    pub(crate) lasting: bool,
    /// Bytes of memory, if they differ from the usual limit.
    pub(crate) memory: Option<u64>,
}
