//! Runs a program to its end and returns its output. Compilers and requests for versions run this
//! way.

use std::io;

use super::{Exit, Launch, Process, Trouble};
use crate::{Clock, clock::Timer};

/// The result of a program that was run to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FinishedRun {
    /// Its end; `None` if it was ended because its time was over.
    pub(crate) exit: Option<Exit>,
    /// The end of its output.
    pub(crate) said: String,
    /// Whether its time was over.
    pub(crate) late: bool,
}

impl FinishedRun {
    /// Returns whether it ended well.
    pub(crate) fn is_good(&self) -> bool {
        !self.late && matches!(self.exit, Some(Exit { status: Some(0), .. }))
    }
}

/// Runs a program to its end or its time limit, and ends all that it has started.
///
/// # Errors
/// If it cannot be started.
pub(crate) fn run_to_end(launch: &Launch, clock: Clock) -> io::Result<FinishedRun> {
    let mut process = Process::spawn(launch)?;
    let timer = Timer::start(Some(clock), true, &process.meter());
    let ended = process.wait(&timer, |process| process.has_ended());
    let exit = process.exit();
    process.kill();
    Ok(FinishedRun { exit, said: process.stderr_tail(), late: ended == Err(Trouble::Timeout) })
}
