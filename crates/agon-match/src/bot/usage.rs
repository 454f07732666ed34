//! The CPU time, memory and stderr that a bot's process has used so far.

use std::time::Duration;

use crate::bot::Exit;

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
