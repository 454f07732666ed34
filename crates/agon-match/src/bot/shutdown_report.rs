//! How a bot ended after its input had been closed. `agon check` shows it.

use std::time::Duration;

use crate::bot::Exit;

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
