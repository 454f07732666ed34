//! Who says what is played.

use agon_match::Control;

use crate::{Finished, Job, RunError};

/// Says what is played next and hears how it ended. All calls come from the thread that called
/// [`Runner::run`](crate::Runner::run).
pub trait JobSource {
    /// Why it gives up.
    type Error: From<RunError>;

    /// The next match that can be played now. With `None` it is asked again after the next match
    /// that is over; if none is being played, that is the end.
    ///
    /// # Errors
    /// Ends the run; matches that are being played are given up.
    fn next(&mut self) -> Result<Option<Job>, Self::Error>;

    /// A match is over. They come in the order in which they end, which is another one each time.
    /// After [`Control::Stop`] those that are being played are given up, and nothing more is heard
    /// of them.
    ///
    /// # Errors
    /// Ends the run in the same way.
    fn over(&mut self, finished: Finished) -> Result<Control, Self::Error>;
}
