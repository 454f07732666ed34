//! For how long the batches of a queue keep its workers busy.

use std::collections::VecDeque;

/// Between two moments that are kept is at least this time, in milliseconds.
const STEP: u64 = 500;

/// The most moments that are kept: twenty minutes.
const MOST: usize = 2_400;

/// For how long the batches of a queue keep its workers busy, as somebody sees it who looks at the
/// queue now and then: the number of batches that wait, divided by how many were taken within a
/// second lately. Times are in milliseconds, of any clock.
#[derive(Clone, Debug, Default)]
pub struct Backlog {
    /// Moments, and how many batches had been taken. The oldest first.
    moments: VecDeque<(u64, u64)>,
    /// The present.
    now: u64,
    taken: u64,
    waiting: u64,
}

impl Backlog {
    /// Learns how many batches of the queue were taken since it was made, and how many wait.
    pub fn learn(&mut self, now: u64, taken: u64, waiting: u64) {
        if taken < self.taken {
            // It was made again.
            self.moments.clear();
        }
        (self.now, self.taken, self.waiting) = (now, taken, waiting);
        if self.moments.back().is_none_or(|(at, _)| at + STEP <= now) {
            self.moments.push_back((now, taken));
        }
        if self.moments.len() > MOST {
            self.moments.pop_front();
        }
    }

    /// Returns whether all that waits keeps the others busy for at least so long. It does not as
    /// long as nobody has looked at the queue for that time.
    pub fn lasts(&self, ms: u64) -> bool {
        // Over twice the time, chance matters less.
        let begin = self.now.saturating_sub(2 * ms);
        let Some((since, before)) = self.moments.iter().find(|(at, _)| *at >= begin) else {
            return false;
        };
        let watched = self.now - since;
        let taken = self.taken - before;
        // waiting / (taken / watched) >= ms
        let is_long =
            u128::from(self.waiting) * u128::from(watched) >= u128::from(taken) * u128::from(ms);
        self.waiting > 0 && watched >= ms && is_long
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Looks at a queue once a second: how many batches were taken in all, and how many wait.
    fn seen(all: &[(u64, u64)]) -> Backlog {
        let mut backlog = Backlog::default();
        for (second, (taken, waiting)) in all.iter().enumerate() {
            backlog.learn(1_000 * second as u64, *taken, *waiting);
        }
        backlog
    }

    #[test]
    fn a_batch_that_nobody_takes_lasts_once_somebody_has_watched_for_that_time() {
        assert!(!seen(&[]).lasts(0));
        assert!(!seen(&[(0, 0); 9]).lasts(1_000), "nothing waits");
        assert!(!seen(&[(7, 1); 5]).lasts(5_000), "that is too early");
        assert!(seen(&[(7, 1); 6]).lasts(5_000));
    }

    #[test]
    fn what_waits_lasts_as_long_as_others_need_to_take_it() {
        // Three each second; twelve wait.
        let mut all: Vec<(u64, u64)> = (0..60).map(|second| (3 * second, 12)).collect();
        assert!(seen(&all).lasts(4_000) && !seen(&all).lasts(4_001));
        // The last ones are taken soon.
        all.push((180, 3));
        assert!(seen(&all).lasts(1_000) && !seen(&all).lasts(1_001));
    }

    #[test]
    fn only_what_happened_lately_counts_and_a_new_queue_begins_anew() {
        let mut all: Vec<(u64, u64)> = (0..60).map(|second| (100 * second, 500)).collect();
        all.extend([(5_900, 500); 21]);
        assert!(seen(&all).lasts(10_000), "nobody takes any more");
        all.extend([(0, 500); 5]);
        assert!(!seen(&all).lasts(10_000));
    }

    #[test]
    fn it_takes_little_memory() {
        let mut backlog = Backlog::default();
        (0..1_000_000).for_each(|ms| backlog.learn(10 * ms, ms, 5));
        assert_eq!(backlog.moments.len(), MOST);
    }
}
