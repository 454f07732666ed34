//! What the referee and the hosts of bots share.
//!
//! | module | contents |
//! | --- | --- |
//! | `interface` | [`Bot`]: the interface; [`BatchPart`], [`Seat`] |
//! | [`wait`] | [`Progress`], [`Wait`]: lets the referee wait for several bots at once |
//! | [`turn_log`] | [`TurnLog`]: cost and stderr of a bot, turn by turn |
//! | `clock` | [`Clock`], [`Timing`], [`BatchLimits`]: time limits; what a process used, how it ended |
//!
//! `agon-bots` implements [`Bot`] and the referee calls it. Only Linux can start the programs of
//! `agon-bots`. This crate starts none, so the referee compiles for other systems, too.

mod clock;
mod interface;
#[cfg(not(unix))]
mod no_descriptors;
pub mod turn_log;
pub mod wait;

pub use clock::{BatchLimits, Clock, Exit, Shortage, ShutdownReport, Timing, Usage};
pub use interface::{BatchPart, Bot, Seat};
pub use turn_log::TurnLog;
pub use wait::{Progress, Wait};
