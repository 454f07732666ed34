//! The workers that live.

use std::collections::BTreeMap;

use super::{Beat, Limits};

/// The most workers that are followed; others are played with, but not counted.
const MOST: usize = 200_000;

/// The most slots of a worker: no machine has more.
const MOST_SLOTS: u32 = 4096;

/// What is known of a worker.
#[derive(Clone, Copy, Debug)]
struct Worker {
    slots: u32,
    seen: u64,
    /// Whether it had no matches of this run when it said last that it lives.
    is_idle: bool,
}

/// The workers that have told something lately.
#[derive(Clone, Debug, Default)]
pub(super) struct Workers {
    by_name: BTreeMap<String, Worker>,
    slots: u64,
    /// When the next one may be forgotten.
    next: u64,
}

impl Workers {
    /// A worker has said that it lives.
    pub(super) fn seen(&mut self, now: u64, beat: &Beat) {
        let slots = beat.slots.min(MOST_SLOTS);
        if let Some(worker) = self.meet(now, &beat.worker) {
            worker.is_idle = beat.held.is_empty();
            let before = std::mem::replace(&mut worker.slots, slots);
            self.slots = self.slots - u64::from(before) + u64::from(slots);
        }
    }

    /// A worker has sent something.
    pub(super) fn heard(&mut self, now: u64, name: &str) {
        self.meet(now, name);
    }

    /// Returns a worker that lives; `None` if there is no room for one more.
    fn meet(&mut self, now: u64, name: &str) -> Option<&mut Worker> {
        if !self.by_name.contains_key(name) {
            if self.by_name.len() >= MOST {
                return None;
            }
            self.slots += 1;
            let worker = Worker { slots: 1, seen: now, is_idle: false };
            self.by_name.insert(name.to_owned(), worker);
        }
        let worker = self.by_name.get_mut(name)?;
        worker.seen = now;
        Some(worker)
    }

    /// Nobody could be heard until now.
    pub(super) fn excuse(&mut self, now: u64) {
        self.by_name.values_mut().for_each(|worker| worker.seen = now);
    }

    /// Forgets those that have told nothing for long.
    pub(super) fn forget(&mut self, now: u64, limits: &Limits) {
        if now < self.next {
            return;
        }
        self.next = now + limits.silence / 4;
        let lives = |worker: &Worker| worker.seen + limits.silence_of(worker.is_idle) >= now;
        self.by_name.retain(|_, worker| lives(worker));
        self.slots = self.by_name.values().map(|worker| u64::from(worker.slots)).sum();
    }

    /// Returns whether a worker has told something lately.
    pub(super) fn live(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    pub(super) fn count(&self) -> u32 {
        self.by_name.len() as u32
    }

    pub(super) fn slots(&self) -> u32 {
        u32::try_from(self.slots).unwrap_or(u32::MAX)
    }
}
