//! How much a worker has played within the last minute.

use std::{
    collections::VecDeque,
    time::{Duration, Instant},
};

use agon_remote::fleet::message::Lately;

/// The time over which it is counted.
const LATELY: Duration = Duration::from_secs(60);

/// Between two moments that are kept is at least this time.
const STEP: Duration = Duration::from_secs(1);

/// All that had been played at a moment.
#[derive(Clone, Copy)]
struct Moment {
    at: Instant,
    played: u64,
    us: u64,
}

/// Counts matches, and forgets those that are older than a minute.
pub(super) struct Recent {
    /// All since the worker has started.
    played: u64,
    us: u64,
    /// Some moments of the last minute, the oldest first; never empty.
    moments: VecDeque<Moment>,
}

impl Recent {
    pub(super) fn new() -> Recent {
        let start = Moment { at: Instant::now(), played: 0, us: 0 };
        Recent { played: 0, us: 0, moments: [start].into() }
    }

    /// A match is over that took so many microseconds.
    pub(super) fn add(&mut self, us: u64) {
        self.played += 1;
        self.us = self.us.saturating_add(us);
    }

    /// Returns what was played within the last minute.
    pub(super) fn lately(&mut self) -> Lately {
        if self.moments.back().is_none_or(|last| last.at.elapsed() >= STEP) {
            let (played, us) = (self.played, self.us);
            self.moments.push_back(Moment { at: Instant::now(), played, us });
        }
        while self.moments.len() > 1 && self.moments[0].at.elapsed() > LATELY {
            self.moments.pop_front();
        }
        let before = self.moments[0];
        Lately {
            ms: u32::try_from(before.at.elapsed().as_millis()).unwrap_or(u32::MAX),
            played: u32::try_from(self.played - before.played).unwrap_or(u32::MAX),
            busy_ms: (self.us - before.us) / 1000,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_are_counted_with_their_time() {
        let mut recent = Recent::new();
        let Lately { played, busy_ms, .. } = recent.lately();
        assert_eq!((played, busy_ms), (0, 0));
        // Together they take longer than a millisecond, each alone does not.
        (0..10).for_each(|_| recent.add(300));
        let Lately { played, busy_ms, .. } = recent.lately();
        assert_eq!((played, busy_ms), (10, 3));
        assert_eq!(recent.moments.len(), 1, "there may be many beats in a second");
    }
}
