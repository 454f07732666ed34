//! [`MatchQueue`]: where matches are played, in this process or on other machines; and the loop
//! that plays all matches of a source.

use std::time::Duration;

use agon_match::Control;

use crate::{ArenaError, Client, End, Finished, Job, JobCounts, JobSource, Next};

/// Takes matches, and returns their outcomes.
///
/// A [`Client`] of a pool plays them in this process. `agon-remote` has them played on other
/// machines.
pub trait MatchQueue {
    /// Submits a match.
    ///
    /// # Errors
    /// If a match of this ticket is open, or the queue cannot take it.
    fn submit(&mut self, job: Job) -> Result<(), ArenaError>;

    /// Returns how many matches should be open, so that no worker waits for the next one.
    fn wanted(&self) -> usize;

    /// Returns how many matches were submitted and are not over.
    fn open(&self) -> usize;

    /// Returns whether no more matches begin.
    fn is_stopped(&self) -> bool;

    /// Returns what workers do with the matches.
    fn slots(&self) -> SlotCounts;

    /// Waits for the next match that is over, in the order in which they end; `None` if no match
    /// is open any more.
    ///
    /// # Errors
    /// If the queue is lost: the matches that are open stay open.
    fn wait(&mut self) -> Result<Option<Finished>, ArenaError>;

    /// Waits likewise, but not longer than `patience`; `None` also if none ended in this time.
    ///
    /// # Errors
    /// As [`wait`](Self::wait).
    fn wait_for(&mut self, patience: Duration) -> Result<Option<Finished>, ArenaError>;
}

/// What workers do with the matches of a queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SlotCounts {
    /// How many matches can be played at a time.
    pub all: u64,
    /// How many are being played, or lie with a worker that plays them next.
    pub playing: u64,
    /// How many no worker has yet.
    pub waiting: u64,
}

impl MatchQueue for Client {
    fn submit(&mut self, job: Job) -> Result<(), ArenaError> {
        Client::submit(self, job)
    }

    fn wanted(&self) -> usize {
        // Two for each worker.
        2 * self.workers()
    }

    fn open(&self) -> usize {
        Client::open(self)
    }

    fn is_stopped(&self) -> bool {
        Client::is_stopped(self)
    }

    fn slots(&self) -> SlotCounts {
        let JobCounts { given_out, planned, .. } = self.counts();
        SlotCounts { all: self.workers() as u64, playing: given_out, waiting: planned }
    }

    fn wait(&mut self) -> Result<Option<Finished>, ArenaError> {
        Ok(Client::wait(self))
    }

    fn wait_for(&mut self, patience: Duration) -> Result<Option<Finished>, ArenaError> {
        Ok(Client::wait_for(self, patience))
    }
}

impl Client {
    /// Plays the matches of a source, until it has no more or the client's flag is set.
    ///
    /// # Errors
    /// If the source fails. Matches that are being played are then given up.
    pub fn run<S: JobSource>(mut self, source: &mut S) -> Result<End, S::Error> {
        play_all(&mut self, source)
    }
}

/// Plays the matches of a source, until it has no more or the queue is stopped.
///
/// # Errors
/// If the source or the queue fails. Matches that are being played are then given up.
pub fn play_all<S: JobSource>(queue: &mut dyn MatchQueue, source: &mut S) -> Result<End, S::Error> {
    let mut end = End::Waiting;
    loop {
        while end != End::Done && queue.open() < queue.wanted() && !queue.is_stopped() {
            match source.next()? {
                Next::Job(job) => queue.submit(job)?,
                Next::Wait => break,
                Next::Done => end = End::Done,
            }
        }
        let Some(Finished { ticket, outcome, replay, .. }) = queue.wait()? else {
            return Ok(if queue.is_stopped() { End::Interrupted } else { end });
        };
        let control = match outcome {
            Ok(outcome) => source.over(ticket, outcome, replay)?,
            Err(error) => source.failed(ticket, error)?,
        };
        if control == Control::Stop {
            return Ok(End::Stopped);
        }
    }
}
