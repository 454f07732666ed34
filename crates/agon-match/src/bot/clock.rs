//! Time limits of bots. `docs/clocks.md` describes them.

use std::{fmt, time::Duration};

/// Time limits of a bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// CPU time for the first answer, with the part of the start-up after the question.
    pub first: Duration,
    /// CPU time for every later answer.
    pub then: Duration,
    /// The multiple of its limit that a bot may take in wall time.
    ///
    /// It holds while the bot uses less CPU time than the limit. With 1 (or 0) the limit is plain
    /// wall time, and CPU time does not matter.
    pub wall_factor: u32,
    /// Extra time for the whole match, in the same kind of time.
    ///
    /// An answer that takes longer than its limit draws on it.
    pub bank: Duration,
}

impl Clock {
    /// The default factor. A game or a person can choose another one.
    pub const WALL_FACTOR: u32 = 3;

    /// The bank in games whose documents set no time limit.
    pub const BANK: Duration = Duration::from_secs(5);

    /// Makes a clock with the same limit for all answers, charged as CPU time.
    pub const fn cpu(limit: Duration) -> Clock {
        Clock { first: limit, then: limit, wall_factor: Clock::WALL_FACTOR, bank: Duration::ZERO }
    }

    /// Makes a clock with the same limit for all answers, in wall time.
    pub const fn wall(limit: Duration) -> Clock {
        Clock { first: limit, then: limit, wall_factor: 1, bank: Duration::ZERO }
    }

    /// Makes a clock with the same limits and this bank.
    pub const fn with_bank(self, bank: Duration) -> Clock {
        Clock { bank, ..self }
    }

    /// Makes a clock with this percentage of all its times.
    pub fn scaled(self, percent: u32) -> Clock {
        Clock {
            first: scaled(self.first, percent),
            then: scaled(self.then, percent),
            bank: scaled(self.bank, percent),
            ..self
        }
    }
}

/// The choice of time limits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Timing {
    /// The limits that the game documents.
    #[default]
    Game,
    /// The limits that the game documents, with this bank.
    Bank(Duration),
    /// A percentage of the limits that the game documents, for a machine of another speed, and this
    /// bank instead of the game's.
    Scaled {
        /// The percentage.
        percent: u32,
        /// The bank, which is not scaled; `None` for a percentage of the game's own.
        bank: Option<Duration>,
    },
    /// These limits.
    Clock(Clock),
    /// No limits, so that a bot can stop in a debugger. Its death is still noticed.
    Unlimited,
}

impl Timing {
    /// Returns the clock for a game whose own clock is `default`.
    pub fn or(self, default: Clock) -> Option<Clock> {
        match self {
            Timing::Game => Some(default),
            Timing::Bank(bank) => Some(default.with_bank(bank)),
            Timing::Scaled { percent, bank } => {
                let clock = default.scaled(percent);
                Some(bank.map_or(clock, |bank| clock.with_bank(bank)))
            }
            Timing::Clock(clock) => Some(clock),
            Timing::Unlimited => None,
        }
    }

    /// Returns the extra time for each decision in a game whose own such time is `default`.
    pub fn each(self, default: Duration) -> Duration {
        match self {
            Timing::Scaled { percent, .. } => scaled(default, percent),
            Timing::Game | Timing::Bank(_) | Timing::Clock(_) | Timing::Unlimited => default,
        }
    }
}

/// A percentage of a time, in whole nanoseconds.
fn scaled(time: Duration, percent: u32) -> Duration {
    time.saturating_mul(percent) / 100
}

/// Time limits for a bot's answers to one batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchLimits {
    /// Time for a batch.
    pub clock: Clock,
    /// Extra time for each decision of it.
    pub each: Duration,
}

/// The resources that a bot's process has used so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// CPU time of the process with all its threads.
    ///
    /// Once it has ended, its descendants are included. For a runner, which starts once per turn,
    /// it is the CPU time of all turns.
    pub cpu: Duration,
    /// Peak of resident memory, in bytes; `None` if it is not known any more.
    pub peak_memory: Option<u64>,
    /// Bytes written to stderr.
    ///
    /// For a runner this includes stdout, which also counts as messages to people.
    pub stderr: u64,
    /// How the process has ended, if it has.
    pub ended: Option<Exit>,
    /// The most CPU time that it may have used since the last question, even after its answer.
    ///
    /// Zero if nobody knows when the question was.
    pub since_question: Duration,
    /// The part of it that the answer did not cost.
    pub since_answer: Duration,
}

/// The end of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exit {
    /// Its exit status, if it ended by itself.
    pub status: Option<i32>,
    /// The signal that ended it, if one did.
    pub signal: Option<i32>,
}

/// The end of a bot's process after its input had been closed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShutdownReport {
    /// How it ended by itself; `None` if it had to be killed.
    pub exit: Option<Exit>,
    /// The time until its end.
    pub took: Duration,
    /// The number of its helper processes at the time its input was closed.
    pub helpers: usize,
    /// The sum of the peaks of resident memory of these processes and its own, in bytes.
    pub peak_memory: Option<u64>,
    /// The number of processes that it left running.
    pub left_behind: usize,
    /// The total of bytes written to stderr.
    pub stderr: u64,
    /// Whether its output began with a byte order mark, which is read over.
    pub byte_order_mark: bool,
    /// The end of its stderr output.
    pub stderr_tail: String,
}

/// A lack of something that a bot needs and the arena has to provide.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shortage {
    /// What failed.
    pub what: String,
    /// The system's message.
    pub said: String,
    /// What a person can do about it.
    pub remedy: String,
}

impl fmt::Display for Shortage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Shortage { what, said, remedy } = self;
        write!(f, "{what}: {said}; {remedy}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn a_scale_changes_all_times_of_the_game() {
        let game = Clock::cpu(MS * 100).with_bank(MS * 1000);
        let clock = |percent, bank| Timing::Scaled { percent, bank }.or(game).unwrap();
        assert_eq!(clock(150, None), Clock::cpu(MS * 150).with_bank(MS * 1500));
        assert_eq!(clock(50, Some(MS * 7)), Clock::cpu(MS * 50).with_bank(MS * 7));
        assert_eq!(clock(u32::MAX, None).first, MS.saturating_mul(u32::MAX));
        assert_eq!(Timing::Scaled { percent: 250, bank: None }.each(MS * 2), MS * 5);
        assert_eq!(Timing::Game.each(MS), MS);
    }
}
