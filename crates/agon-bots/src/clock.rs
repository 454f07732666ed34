//! How long a bot may think, and what it is charged for.
//!
//! A program is charged the CPU time of its processes, not the time on the wall: on a busy machine
//! it must not lose because others were served first. The wall still matters in two ways. As long
//! as less wall time than the limit has passed nothing is checked at all. And a bot that does not
//! use the CPU that it could have (it sleeps, or waits for something) gets a multiple of its limit,
//! [`Clock::wall_factor`], and then it is over; the time for which it was ready to run and got no
//! core (`Queues`) is not counted.
//!
//! Behind the limit of each answer there may be a bank for the match. All processes of a program
//! are charged; `meter` says how. `docs/clocks.md` has all of it.

mod meter;
mod queues;
mod timer;

use std::time::Duration;

pub(crate) use meter::{CpuMeter, Gone, Probe};
pub(crate) use queues::Queues;
pub(crate) use timer::{Bank, Left, Timer};

/// How many times its wall limit a bot gets that waits for a disk, or on a system that does not
/// tell who waits for a core, and how long at least.
const PATIENCE: u32 = 3;
pub(crate) const MIN_WALL: Duration = Duration::from_secs(1);

/// Time limits of a bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// CPU time for the first answer, start-up included as far as it happens after the question.
    pub first: Duration,
    /// CPU time for every later answer.
    pub then: Duration,
    /// How many times its limit a bot may take in wall time while it uses less CPU time than that.
    /// With 1 (or 0) the limit is plain wall time and CPU time is not looked at.
    pub wall_factor: u32,
    /// Time for the whole match that is drawn on when an answer takes longer than its limit, in the
    /// same kind of time.
    pub bank: Duration,
}

impl Clock {
    /// The factor used unless a game or a person chooses another.
    pub const WALL_FACTOR: u32 = 3;

    /// The bank in games whose documents fix no time limit.
    pub const BANK: Duration = Duration::from_secs(5);

    /// The same limit for all answers, charged as CPU time.
    pub const fn cpu(limit: Duration) -> Clock {
        Clock { first: limit, then: limit, wall_factor: Clock::WALL_FACTOR, bank: Duration::ZERO }
    }

    /// The same limit for all answers, in wall time.
    pub const fn wall(limit: Duration) -> Clock {
        Clock { first: limit, then: limit, wall_factor: 1, bank: Duration::ZERO }
    }

    /// The same limits with this bank.
    pub const fn with_bank(self, bank: Duration) -> Clock {
        Clock { bank, ..self }
    }

    fn longest(&self, limit: Duration) -> Duration {
        match self.wall_factor {
            0 | 1 => limit,
            factor => limit.saturating_mul(factor),
        }
    }

    fn most_patient(&self, limit: Duration) -> Duration {
        self.longest(limit).saturating_mul(PATIENCE).max(MIN_WALL)
    }
}

/// Which time limits apply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Timing {
    /// Those that the game documents.
    #[default]
    Game,
    /// Those that the game documents, with this bank.
    Bank(Duration),
    /// These.
    Clock(Clock),
    /// None: a bot may stop in a debugger. Its death is still noticed.
    Unlimited,
}

impl Timing {
    /// The clock that applies to a game whose own is `default`.
    pub fn or(self, default: Clock) -> Option<Clock> {
        match self {
            Timing::Game => Some(default),
            Timing::Bank(bank) => Some(default.with_bank(bank)),
            Timing::Clock(clock) => Some(clock),
            Timing::Unlimited => None,
        }
    }
}
