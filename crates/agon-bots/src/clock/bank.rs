//! A bot's bank of time: extra time for a whole match, from which slow answers draw.

use std::time::Duration;

use super::Clock;

/// A bot's bank of time in a match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bank {
    pub(super) whole: Duration,
    pub(super) left: Duration,
}

impl Bank {
    /// Returns the full bank of a clock.
    pub(crate) fn of(clock: Option<Clock>) -> Bank {
        let whole = clock.map_or(Duration::ZERO, |clock| clock.bank);
        Bank { whole, left: whole }
    }

    /// Takes off the time that an answer took beyond its limit.
    ///
    /// Call it when the answer has come, or nobody waits for it any more.
    pub(crate) fn charge(&mut self, beyond: Duration) {
        self.left -= beyond.min(self.left);
    }
}
