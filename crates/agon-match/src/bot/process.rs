//! The CPU time, memory and stderr that a bot's process has used so far.

use std::{fmt, time::Duration};

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
