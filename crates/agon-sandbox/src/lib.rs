//! Starts programs that cannot do harm, and ends them with everything that they have started.
//! `agon-bots` starts every program of a bot with it.
//!
//! ```text
//! arena ── zygote ── supervisor ── init ── program ── its own children
//! ```
//!
//! A process with many threads cannot fork and then prepare a child at leisure. So the arena starts
//! the *zygote*, a small process with a single thread. The zygote forks a *supervisor* for each
//! program. The supervisor enters new namespaces, or reuses those of an earlier program of the same
//! bot (`confine::pooled_sandbox`). Its child *init* is the first process in them, and init's child
//! becomes the program.
//!
//! The supervisor ends the program with everything that it has started in three cases. The program
//! exceeds its limits, the arena asks for it, or the arena is gone. It notices the last case
//! because the socket between them is closed.
//!
//! [`Launcher::start`] starts an [`Order`]. `confine` confines programs, with a module for each
//! mechanism. [`Tree`] stands for all processes of a program. `docs/security.md` lists the threats
//! and the protection.
//!
//! `unsafe` code is confined to forking, to system calls that no library has, and to the removal of
//! secrets from the environment.

mod child;
mod confine;
mod doctor;
mod folder;
mod fork;
mod launcher;
mod message;
mod order;
mod remove;
mod secrets;
mod snapshot;
mod supervisor;
mod tree;

pub use child::{Child, RunningProgram, StartError, end_hoarders, kill_all};
pub use doctor::{Confined, MechanismRow, examine};
pub use folder::{Folder, folders_left};
pub use launcher::{Launcher, Stdio};
pub use message::{Confinement, Ending, Exceeded, Mechanism, Missing};
pub use order::{Limits, Order, Sandbox};
pub use remove::{empty_folder, remove_folder};
pub use secrets::{secret, take_secrets};
pub use snapshot::Snapshot;
pub use supervisor::zygote_main;
pub use tree::{Member, Tree};

/// The number of the first inherited descriptor beside the three usual ones; others follow.
pub const INHERITED: i32 = 3;

/// The most inherited descriptors beside the usual ones.
pub const MAX_INHERITED: usize = 2;
