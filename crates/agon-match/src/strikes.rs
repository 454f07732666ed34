//! Counts a bot's timeouts in a row, and decides when to stop the bot: `--strikes`.

use std::num::NonZero;

/// The words in the fault of a bot that is stopped after too many timeouts in a row.
pub const STOPPED_FOR_TIMEOUTS: &str = "in a row: the bot stays out from now on";

/// Counts the timeouts in a row of one bot.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Strikes {
    /// The number that stops the bot; `None` for no such limit.
    most: Option<NonZero<u32>>,
    in_a_row: u32,
}

impl Strikes {
    /// Stops the bot after `most` timeouts in a row, with those that have been counted.
    pub(crate) fn limit(&mut self, most: Option<NonZero<u32>>) {
        self.most = most;
    }

    /// Returns whether there is a limit.
    pub(crate) fn are_counted(&self) -> bool {
        self.most.is_some()
    }

    /// Notes an answer, or that it came too late. Returns why the bot has to be stopped, if it has.
    pub(crate) fn note(&mut self, is_late: bool) -> Option<String> {
        self.in_a_row = if is_late { self.in_a_row.saturating_add(1) } else { 0 };
        let most = self.most?.get();
        (self.in_a_row >= most).then(|| {
            let s = if most == 1 { "" } else { "s" };
            format!("the limit is {most} timeout{s} {STOPPED_FOR_TIMEOUTS}")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_in_time_starts_again() {
        let mut strikes = Strikes { most: NonZero::new(2), in_a_row: 0 };
        let late = [true, false, true, true].map(|is_late| strikes.note(is_late));
        let why = "the limit is 2 timeouts in a row: the bot stays out from now on".to_owned();
        assert_eq!(late, [None, None, None, Some(why)]);
        let one = Strikes { most: NonZero::new(1), in_a_row: 0 }.note(true).unwrap();
        assert!(one.starts_with("the limit is 1 timeout in a row"), "{one}");
    }

    #[test]
    fn without_a_limit_nothing_stops_a_bot() {
        let mut strikes = Strikes::default();
        assert!(!strikes.are_counted());
        assert!((0..1_000).all(|_| strikes.note(true).is_none()));
        let mut strikes = Strikes { most: NonZero::new(u32::MAX), in_a_row: u32::MAX - 1 };
        assert!(strikes.note(true).is_some() && strikes.note(true).is_some());
    }
}
