//! Sources of matches.
//!
//! A comparison, a tuning and a tournament are such sources (`agon-experiment`).

use agon_match::Control;
use agon_match::spec::MatchOutcome;

use crate::{ArenaError, Job};

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
    ///
    /// # Errors
    /// An error ends the run in the same way.
    fn over(
        &mut self,
        ticket: u64,
        outcome: MatchOutcome,
        replay: Option<Vec<u8>>,
    ) -> Result<Control, Self::Error>;

    /// Learns that a match cannot be played. By default that ends the run.
    ///
    /// # Errors
    /// An error ends the run in the same way.
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
