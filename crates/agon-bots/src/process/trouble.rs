//! Reasons for missing answers. Hosts make faults of them.

/// The reason for a missing answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// The time is over.
    Timeout,
    /// The process has ended.
    Crash,
    /// It closed its standard input or output but runs on.
    Closed,
    /// It wrote more output than may wait.
    Flood,
}
