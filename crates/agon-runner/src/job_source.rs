//! The source of the matches that a runner plays.

use agon_match::Control;

use crate::{Finished, Job, RunError};

/// Chooses the next match and receives the results. All calls come from the thread that called
/// [`Runner::run`](crate::Runner::run).
pub trait JobSource {
    /// The error that ends the run.
    type Error: From<RunError>;

    /// Returns the next match that can be played now. After `None` the runner asks again when the
    /// next match is over. If no match is being played, `None` ends the run.
    ///
    /// # Errors
    /// An error ends the run; matches that are being played are given up.
    fn next(&mut self) -> Result<Option<Job>, Self::Error>;

    /// Receives the result of a match. Results come in the order in which matches end, which
    /// differs from run to run. After [`Control::Stop`] the matches that are being played are given
    /// up, and no more results follow.
    ///
    /// # Errors
    /// An error ends the run in the same way.
    fn over(&mut self, finished: Finished) -> Result<Control, Self::Error>;
}
