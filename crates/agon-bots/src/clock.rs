//! Time limits of bots, and the time that they are charged.
//!
//! A program is charged the CPU time of its processes, not wall time. A busy machine that serves
//! others first must not make it lose. Wall time still matters in two ways:
//! - Nothing is checked until the wall time has reached the limit.
//! - A bot may sleep or wait instead of using the CPU. It then gets a multiple of its limit in wall
//!   time ([`Clock::wall_factor`]). Time in which it was ready to run and got no core (`Queues`)
//!   does not count.
//!
//! A bank of time for the match may supplement the limit of each answer. All processes of a program
//! are charged; see `meter`. `docs/clocks.md` describes everything.

mod meter;
mod queues;
mod timer;
mod unseen;

use std::time::Duration;

pub use agon_match::bot::{Clock, Timing};

pub(crate) use meter::{CpuMeter, Gone, Probe};
pub(crate) use queues::Queues;
pub(crate) use timer::{Bank, TimeLeft, Timer};

/// A bot that waits for a disk gets this multiple of its wall limit, and at least ten seconds.
///
/// So does one that is ready to run whenever the arena looks. On a system that does not report
/// which threads wait for a core, every bot gets the multiple, and at least [`MIN_WALL`]. A turn of
/// fixed length lasts so many times as long at most for a bot that has no core.
const PATIENCE: u32 = 3;
pub(crate) const MIN_WALL: Duration = Duration::from_secs(1);

/// Returns the wall time after which a bot that uses no CPU time has exceeded a limit of its clock.
fn longest(clock: Clock, limit: Duration) -> Duration {
    match clock.wall_factor {
        0 | 1 => limit,
        factor => limit.saturating_mul(factor),
    }
}

/// Returns the same where it is unknown whether a bot waits for a core.
fn most_patient(clock: Clock, limit: Duration) -> Duration {
    longest(clock, limit).saturating_mul(PATIENCE).max(MIN_WALL)
}
