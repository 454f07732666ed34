//! Runs a program to its end and returns its output. Compilers and requests for versions run this
//! way.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use std::{io, sync::Arc};

use agon_match::bot::wait::for_any;
use agon_match::bot::{Progress, Wait};

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

/// How often a run looks whether it is stopped.
const LOOK: Duration = Duration::from_millis(100);

/// Runs a program to its end or its time limit, and ends all that it has started.
pub(crate) fn run_to_end(
    launch: &Launch,
    clock: Clock,
    stop: Option<&Arc<AtomicBool>>,
) -> io::Result<FinishedRun> {
    let mut process = Process::spawn(launch)?;
    let timer = Timer::start(Some(clock), true, &process.meter());
    let ended = loop {
        match process.look(&timer, |process| process.has_ended()) {
            Ok(ended) => break ended,
            Err(Progress::Waits(wait)) if stop.is_some() => {
                for_any(&[Some(&wait), Some(&Wait::until(Instant::now() + LOOK))], |_| {});
            }
            Err(Progress::Waits(wait)) => wait.wait(),
            Err(Progress::Done | Progress::Last) => {}
        }
        if stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            process.kill();
            return Err(io::Error::new(io::ErrorKind::Interrupted, "it was stopped"));
        }
    };
    let exit = process.exit();
    process.kill();
    Ok(FinishedRun { exit, said: process.stderr_tail(), late: ended == Err(Trouble::Timeout) })
}
