//! Queues that are not asked for a while, because this worker could not use what it got there:
//! otherwise it would take the same batches again and again, before others get them.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

/// How long the first pause is; each further one is twice as long.
const FIRST: Duration = Duration::from_secs(2);

/// The longest pause.
const LONGEST: Duration = Duration::from_secs(60);

#[derive(Clone, Copy, Debug)]
struct Pause {
    until: Instant,
    length: Duration,
}

/// The pauses of all queues; copies share them.
#[derive(Clone, Debug, Default)]
pub(super) struct Pauses(Arc<Mutex<BTreeMap<String, Pause>>>);

impl Pauses {
    /// A batch of a queue could not be used.
    pub(super) fn fails(&self, queue: &str, now: Instant) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let length = match all.get(queue) {
            // What was taken before the pause says nothing new.
            Some(pause) if now < pause.until => return,
            Some(pause) => LONGEST.min(2 * pause.length),
            None => FIRST,
        };
        all.insert(queue.to_owned(), Pause { until: now + length, length });
    }

    /// A match of a queue was played. If it began before a pause, it says nothing new.
    pub(super) fn works(&self, queue: &str, now: Instant) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.get(queue).is_some_and(|pause| pause.until <= now) {
            all.remove(queue);
        }
    }

    /// Returns how long it is until the next pause ends.
    pub(super) fn next(&self, now: Instant) -> Option<Duration> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.values().filter(|pause| now < pause.until).map(|pause| pause.until - now).min()
    }

    /// Returns whether a queue is not asked now.
    pub(super) fn has(&self, queue: &str, now: Instant) -> bool {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.get(queue).is_some_and(|pause| now < pause.until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_pause_is_twice_as_long_until_something_works() {
        let pauses = Pauses::default();
        let (queue, other) = ("normal-a", "normal-b");
        let mut now = Instant::now();
        for seconds in [2, 4, 8, 16, 32, 60, 60] {
            pauses.fails(queue, now);
            pauses.fails(queue, now);
            assert!(!pauses.has(other, now));
            now += Duration::from_secs(seconds) - Duration::from_millis(1);
            assert!(pauses.has(queue, now), "{seconds}");
            now += Duration::from_millis(1);
            assert!(!pauses.has(queue, now), "{seconds}");
        }
        pauses.fails(queue, now);
        pauses.works(queue, now);
        assert_eq!(pauses.next(now), Some(LONGEST), "a match that began before says nothing");
        now += LONGEST;
        pauses.works(queue, now);
        assert_eq!(pauses.next(now), None);
        pauses.fails(queue, now);
        assert!(!pauses.has(queue, now + FIRST));
    }
}
