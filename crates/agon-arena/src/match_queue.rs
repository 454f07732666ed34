//! [`MatchQueue`]: where matches are played, in this process or on other machines; and the loop
//! that plays all matches of a source.

use std::{sync::Arc, time::Duration};

use agon_core::Seed;
use agon_match::Control;
use agon_match::spec::{MatchOutcome, MatchSpec};

use crate::{ArenaError, BotEntry, Client};

/// Takes matches, and returns their outcomes.
///
/// A [`Client`] of a pool plays them in this process. `agon-remote` has them played on other
/// machines.
pub trait MatchQueue {
    /// Submits a match.
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
    fn wait_for(&mut self, patience: Duration) -> Result<Option<Finished>, ArenaError>;

    /// Takes a match back, so that it never ends. Returns false if it is played to its end all the
    /// same.
    fn give_up(&mut self, _ticket: u64) -> bool {
        false
    }
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

/// A match to be played.
#[derive(Clone, Debug)]
pub struct Job {
    /// The submitter's own number for it.
    pub ticket: u64,
    /// The match.
    pub spec: MatchSpec,
    /// The bots of its seats, which have been read. In the match they have the names of the seats:
    /// a bot may have another name in each match, and its files are still read once.
    pub bots: Vec<Arc<BotEntry>>,
}

/// A match that is over.
#[derive(Debug)]
pub struct Finished {
    /// The job's ticket.
    pub ticket: u64,
    /// What came of it. A match that cannot be played, or panics, is an error of this match alone.
    pub outcome: Result<MatchOutcome, ArenaError>,
    /// The replay, if one was recorded.
    pub replay: Option<Vec<u8>>,
    /// How long a worker was busy with it; zero if nobody knows.
    pub took: Duration,
}

impl Job {
    /// Makes a job of these bots of this machine on a seed; `base` says all else.
    pub fn new(ticket: u64, base: &MatchSpec, seed: Seed, bots: Vec<Arc<BotEntry>>) -> Job {
        let seats = bots.iter().map(|bot| bot.seat(base.game)).collect();
        // Not `base.clone()`: its seats, if any, are not wanted.
        let MatchSpec { version, game, rules_version, repetition, max_turns, .. } = *base;
        let rules = base.rules.clone();
        let settings = base.settings.clone();
        let spec = MatchSpec {
            version,
            game,
            rules_version,
            rules,
            seed,
            repetition,
            max_turns,
            seats,
            settings,
        };
        Job { ticket, spec, bots }
    }

    /// Returns the bots under the names of their seats.
    pub(crate) fn named(&self) -> Vec<Arc<BotEntry>> {
        let named = |(number, bot): (usize, &Arc<BotEntry>)| match self.spec.seats.get(number) {
            Some(seat) if seat.name != bot.info.name => Arc::new(bot.named(&seat.name)),
            _ => Arc::clone(bot),
        };
        self.bots.iter().enumerate().map(named).collect()
    }
}

/// What a source wants next.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "a job is moved once, to a worker")]
pub enum Next {
    /// This match.
    Job(Job),
    /// Nothing, until one of its matches is over.
    Wait,
    /// Nothing any more.
    Done,
}

/// Chooses the next match and receives the outcomes. All calls come from the thread that called
/// [`play_all`](crate::play_all()).
pub trait JobSource {
    /// The error that ends the run.
    type Error: From<ArenaError>;

    /// Returns what can be played now. After [`Next::Wait`] the source is asked again when one of
    /// its matches is over.
    ///
    /// # Errors
    /// An error ends the run; matches that are being played are given up.
    fn next(&mut self) -> Result<Next, Self::Error>;

    /// Receives the outcome of a match with its replay. Outcomes come in the order in which matches
    /// end, which differs from run to run. After [`Control::Stop`] the matches that are being
    /// played are given up, and no more outcomes follow.
    fn over(
        &mut self,
        ticket: u64,
        outcome: MatchOutcome,
        replay: Option<Vec<u8>>,
    ) -> Result<Control, Self::Error>;

    /// Learns that a match cannot be played. By default that ends the run.
    fn failed(&mut self, ticket: u64, error: ArenaError) -> Result<Control, Self::Error> {
        let _ = ticket;
        Err(error.into())
    }
}

/// Why a run is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The source has no more matches.
    Done,
    /// The source waits for something else: none of its matches is being played.
    Waiting,
    /// The source has stopped the run.
    Stopped,
    /// The run was stopped from outside. All matches that had begun are over.
    Interrupted,
}
