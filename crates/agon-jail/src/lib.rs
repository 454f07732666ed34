//! Starts programs so that they can do no harm, and ends them with all that they have started.
//!
//! ```text
//! arena ── zygote ── keeper ── init ── program ── whatever it starts
//! ```
//!
//! A process with many threads cannot fork and then prepare a child at leisure. So the arena starts
//! one small process with a single thread, the *zygote*, which forks a *keeper* for each program.
//! The keeper enters new namespaces, or those that a former program of the same bot has left
//! (`confine::cell`); its child *init* is the first process in them, and init's child becomes the
//! program. The keeper ends it with all that it has started when its limits are exceeded, when the
//! arena asks for it, or when the arena is gone, however it ended: then the socket between them is
//! closed.
//!
//! [`Jail::start`] starts an [`Order`]; `confine` says how programs are confined, a module per
//! mechanism; [`Tree`] is all processes of a program. `docs/security.md` says what that protects
//! against.
//!
//! `unsafe` code is confined to forking and to system calls that no library has.

mod child;
mod confine;
mod confinement;
mod dialogue;
mod doctor;
mod folder;
mod jail;
mod message;
mod order;
mod remove;
mod snapshot;
mod supervisor;
mod tree;

pub use child::{Child, RunningProgram, kill_all};
pub use confinement::{Confinement, Mechanism, Missing};
pub use doctor::{Report, examine};
pub use folder::{Folder, folders_left};
pub use jail::{Jail, StartError, Stdio};
pub use message::{Ending, Exceeded};
pub use order::{Limits, Order, Sandbox};
pub use remove::remove_folder;
pub use snapshot::Snapshot;
pub use supervisor::zygote_main;
pub use tree::{Member, Tree};

/// The number under which a program finds the first descriptor that it inherits beside the three
/// usual ones; others follow.
pub const INHERITED: i32 = 3;

/// How many it may inherit at most.
pub const MAX_INHERITED: usize = 2;
