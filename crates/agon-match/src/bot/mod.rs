//! What the referee and the hosts of bots share.
//!
//! | module | contents |
//! | --- | --- |
//! | `interface` | [`Bot`]: the interface; [`BatchPart`], [`Seat`] |
//! | [`wait`] | [`Progress`], [`Wait`]: lets the referee wait for several bots at once |
//! | `clock`, `batch_limits` | [`Clock`], [`Timing`], [`BatchLimits`]: time limits |
//! | [`turn_log`] | [`TurnLog`]: cost and stderr of a bot, turn by turn |
//! | `usage`, `exit`, `shutdown_report` | what a bot's process used, and how it ended |
//! | `shortage` | [`Shortage`]: what the arena lacks |
//!
//! `agon-bots` implements [`Bot`] and the referee calls it. Only Linux can start the programs of
//! `agon-bots`. This crate starts none, so the referee compiles for other systems, too.

mod batch_limits;
mod clock;
mod exit;
mod interface;
#[cfg(not(unix))]
mod no_descriptors;
mod shortage;
mod shutdown_report;
pub mod turn_log;
mod usage;
pub mod wait;

pub use batch_limits::BatchLimits;
pub use clock::{Clock, Timing};
pub use exit::Exit;
pub use interface::{BatchPart, Bot, Seat};
pub use shortage::Shortage;
pub use shutdown_report::ShutdownReport;
pub use turn_log::TurnLog;
pub use usage::Usage;
pub use wait::{Progress, Wait};
