//! Matches on other machines: who plays what, as state machines without I/O, and the messages.
//!
//! ```text
//! coordinator ── batches of matches ──> carrier ──> worker
//!      ^                                              │
//!      └───── results, beats ─────────── carrier <────┘
//! ```
//!
//! The carrier may lose, repeat, reorder and forget. The coordinator therefore keeps each match
//! until its result is there, and publishes it again if nobody has it any more. What was counted is
//! in the journal of whoever uses the coordinator.
//!
//! | module | contents |
//! | --- | --- |
//! | `coordinator` | [`Coordinator`]: forms batches, follows them, and takes each result once |
//! | `worker` | [`WorkerState`]: how much a worker takes, and when it reports |
//! | `key` | [`JobKey`]: what makes two matches the same |
//! | `class` | [`Class`]: what a worker must have for a match |
//! | `lane` | [`Lane`]: which matches go first |
//! | [`message`] | what travels |
//! | `version` | [`VERSION`] |
//! | `overview` | [`Overview`]: workers and runs, for people |
//! | [`simulation`] | runs on thousands of machines, in virtual time |

mod class;
mod coordinator;
pub mod key;
mod lane;
pub mod message;
mod overview;
pub mod simulation;
mod version;
mod worker;

pub use class::{Abilities, Class, USUAL_PROGRAMS, Unfit, rounded_speed, rules_of, speed_step};
pub use coordinator::{
    BatchId, Beat, Command, Coordinator, Event, Held, Limits, Loss, Result, Speeds, Status, Verdict,
};
pub use key::JobKey;
pub use lane::Lane;
pub use overview::{Overview, RunView, Snapshot, Totals, WorkerView, expire_soon, expiring};
pub use version::VERSION;
pub use worker::{WorkerCommand, WorkerEvent, WorkerLimits, WorkerState};
