//! Which waiting matches the carrier gets, and in batches of which size.

use std::collections::VecDeque;

use super::{Coordinator, NewBatch, batches::Batch};
use crate::fleet::JobKey;

/// How long the matches of a class take: the mean of the last ones.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pace {
    /// Microseconds of a match; `None` before the first one is over.
    mean: Option<u64>,
}

impl Pace {
    /// Learns how long a match took, in microseconds. It counts as a share of 16.
    pub(super) fn took(&mut self, us: u64) {
        let us = us.clamp(1, 3_600_000_000);
        self.mean = Some(self.mean.map_or(us, |mean| (15 * mean + us).div_ceil(16)));
    }

    /// Returns how long so many matches take, in milliseconds; 0 if nothing is known.
    pub(super) fn ms(self, matches: usize) -> u64 {
        self.mean.unwrap_or(0).saturating_mul(matches as u64) / 1_000
    }

    /// Returns how many matches take so many milliseconds: at least one. One, too, as long as
    /// nothing is known.
    fn fitting(self, ms: u64) -> usize {
        let fitting = self.mean.map_or(1, |mean| ms * 1000 / mean.max(1));
        usize::try_from(fitting.max(1)).unwrap_or(usize::MAX)
    }
}

impl Coordinator {
    /// Returns how many matches of a class the carrier should have, so that no worker waits. Each
    /// class has its own: one whose matches wait for a rare worker does not hold up the others.
    fn depth(&self, class: u32) -> usize {
        // One that is played, one that waits at the worker, one on the way.
        (3 * self.slots() * self.most(class)).min(self.limits.carried)
    }

    /// Returns the largest depth of all classes.
    pub(super) fn greatest_depth(&self) -> usize {
        let known = self.pace.keys().map(|class| self.depth(*class)).max();
        // Of a class of which nothing is known, a batch is a match.
        known.unwrap_or_else(|| 3 * self.slots())
    }

    /// Returns the slots of all workers, but at least one.
    fn slots(&self) -> usize {
        self.workers.slots().max(1) as usize
    }

    /// Returns the most matches of a batch of a class.
    fn most(&self, class: u32) -> usize {
        let pace = self.pace.get(&class).copied().unwrap_or_default();
        pace.fitting(self.limits.batch).min(self.limits.batch_most)
    }

    /// Returns how many matches all batches have.
    pub(super) fn all_carried(&self) -> usize {
        self.carried.values().sum()
    }

    /// Forms batches of waiting matches, until the carrier has enough.
    pub(super) fn publish(&mut self) {
        self.waiting.retain(|_, waiting| !waiting.is_empty());
        if self.now < self.refused_until {
            return;
        }
        let mut classes: Vec<u32> = self.waiting.keys().copied().collect();
        // A batch of each class in turn.
        while !classes.is_empty() {
            classes.retain(|class| self.publish_one(*class));
        }
    }

    /// Forms a batch, if the carrier should have more of the class. Returns whether it did.
    fn publish_one(&mut self, class: u32) -> bool {
        let waiting = self.waiting.get(&class).map_or(0, VecDeque::len);
        let carried = self.carried.get(&class).copied().unwrap_or_default();
        let (depth, most) = (self.depth(class), self.most(class));
        let of_all = self.limits.carried.saturating_sub(self.all_carried());
        let room = depth.saturating_sub(carried).min(of_all);
        if waiting == 0 || room == 0 {
            return false;
        }
        // The last matches are spread over all slots.
        let size = most.min(waiting.div_ceil(2 * self.slots())).max(1);
        // Not a small batch for each match that is over or was submitted: they would stay small.
        let waits_for_more = 2 * carried >= depth && 2 * size < most;
        let waits_for_room = size > room && carried > self.slots();
        if waits_for_more || waits_for_room {
            return false;
        }
        self.form(class, size);
        true
    }

    /// Forms a batch of the first matches of a class that wait.
    fn form(&mut self, class: u32, size: usize) {
        let Some(waiting) = self.waiting.get_mut(&class) else { return };
        // A match that was lost travels alone: it may be the reason.
        let is_suspect = |key: &JobKey| self.jobs.get(key).is_some_and(|job| job.loss.times > 0);
        let size = match waiting.front() {
            Some(first) if is_suspect(first) => 1,
            _ => waiting.iter().take(size).take_while(|key| !is_suspect(key)).count(),
        };
        let jobs: Vec<JobKey> = waiting.drain(..size).collect();
        self.last_batch += 1;
        let batch = self.last_batch;
        for key in &jobs {
            self.jobs.get_mut(key).expect("what waits is not over").batch = Some(batch);
        }
        self.batches.insert(batch, Batch::new(class, &jobs, self.now));
        *self.carried.entry(class).or_default() += jobs.len();
        self.actions.publish.push(NewBatch { batch, class, jobs });
    }
}
