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
//! in the journal of whoever uses the coordinator. `tests/simulation` has runs on thousands of
//! machines, in virtual time.
//!
//! | module | contents |
//! | --- | --- |
//! | `coordinator` | [`Coordinator`]: forms batches, follows them, and takes each result once |
//! | `worker` | [`WorkerState`]: how much a worker takes, and when it reports |
//! | `class` | [`Class`]: what a worker must have for a match |
//! | `lane` | [`Lane`]: which matches go first |
//! | [`message`] | what travels; [`JobKey`]: what makes two matches the same |

mod class;
mod coordinator;
mod lane;
pub mod message;
mod worker;

pub use class::{Abilities, Class, USUAL_PROGRAMS, Unfit, rounded_speed, rules_of};
pub use coordinator::{Actions, Beat, Coordinator, Limits, Loss, NewBatch, Status};
pub use lane::Lane;
pub use message::{BatchId, Held, JobKey, VERSION};
pub use worker::{BEAT, Wanted, WorkerActions, WorkerState};
