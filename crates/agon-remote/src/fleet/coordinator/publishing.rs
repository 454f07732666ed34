//! Which waiting matches the carrier gets, and in batches of which size.

use std::collections::VecDeque;

use super::{Command, Coordinator, batch::Batch};
use crate::fleet::JobKey;

impl Coordinator {
    /// Returns how many matches of a class the carrier should have, so that no worker waits. Each
    /// class has its own: one whose matches wait for a rare worker does not hold up the others.
    pub(super) fn depth(&self, class: u32) -> usize {
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

    fn carried_of(&self, class: u32) -> usize {
        self.carried.get(&class).copied().unwrap_or_default()
    }

    /// Returns how many more matches of a class the carrier should have.
    fn room(&self, class: u32) -> usize {
        let of_all = self.limits.carried.saturating_sub(self.all_carried());
        self.depth(class).saturating_sub(self.carried_of(class)).min(of_all)
    }

    /// Returns how many matches the next batch of a class has.
    fn size(&self, class: u32, waiting: usize) -> usize {
        // The last matches are spread over all slots.
        let share = waiting.div_ceil(2 * self.slots());
        self.most(class).min(share).max(1)
    }

    /// Forms batches of waiting matches, until the carrier has enough.
    pub(super) fn publish(&mut self, now: u64, commands: &mut Vec<Command>) {
        self.waiting.retain(|_, waiting| !waiting.is_empty());
        if now < self.refused_until {
            return;
        }
        let mut classes: Vec<u32> = self.waiting.keys().copied().collect();
        // A batch of each class in turn.
        while !classes.is_empty() {
            classes.retain(|class| self.publish_one(now, *class, commands));
        }
    }

    /// Forms a batch, if the carrier should have more of the class. Returns whether it did.
    fn publish_one(&mut self, now: u64, class: u32, commands: &mut Vec<Command>) -> bool {
        let waiting = self.waiting.get(&class).map_or(0, VecDeque::len);
        let room = self.room(class);
        if waiting == 0 || room == 0 {
            return false;
        }
        let size = self.size(class, waiting);
        let carried = self.carried_of(class);
        // Not a small batch for each match that is over or was submitted: they would stay small.
        let has_half = 2 * carried >= self.depth(class);
        let waits_for_more = has_half && 2 * size < self.most(class);
        let waits_for_room = size > room && carried > self.slots();
        if waits_for_more || waits_for_room {
            return false;
        }
        self.form(now, class, size, commands);
        true
    }

    /// Forms a batch of the first matches of a class that wait.
    fn form(&mut self, now: u64, class: u32, size: usize, commands: &mut Vec<Command>) {
        let Some(waiting) = self.waiting.get_mut(&class) else { return };
        // A match that was lost travels alone: it may be the reason.
        let is_suspect = |key: &JobKey| self.jobs.get(key).is_some_and(|job| job.loss.times > 0);
        let size = match waiting.front() {
            Some(first) if is_suspect(first) => 1,
            _ => waiting.iter().take(size).take_while(|key| !is_suspect(key)).count(),
        };
        let jobs: Vec<JobKey> = waiting.drain(..size).collect();
        let is_for_all =
            jobs.iter().any(|key| self.jobs.get(key).is_some_and(|job| job.is_for_all));
        let least_speed = if is_for_all { 0 } else { self.least_speed(class, size) };
        self.last_batch += 1;
        let id = self.last_batch;
        for key in &jobs {
            let job = self.jobs.get_mut(key).expect("what waits is not over");
            job.batch = Some(id);
        }
        let batch = Batch {
            size,
            jobs: jobs.iter().copied().collect(),
            place: None,
            least_speed,
            fast_until: self.fast_until(now, class),
            class,
            holder: None,
            delivery: 0,
            heard: now,
            progress: now,
            waits: 0,
            is_looked_for: false,
        };
        self.batches.insert(id, batch);
        *self.carried.entry(class).or_default() += jobs.len();
        let avoid = self.silent.iter().cloned().collect();
        commands.push(Command::Publish { batch: id, class, avoid, least_speed, jobs });
    }
}
