//! Which waiting matches the carrier gets, and in batches of which size.

use std::collections::VecDeque;

use super::{Command, Coordinator, batch::Batch, kind::Kind};
use crate::{Audience, JobKey};

impl Coordinator {
    /// Returns how many matches of a class the carrier should have for an audience, so that no
    /// worker waits. Each class has its own: one whose matches wait for a rare worker does not hold
    /// up the others.
    pub(super) fn depth(&self, audience: Audience, class: u32) -> usize {
        let slots = self.workers.slots_for(audience).max(1);
        // One that is played, one that waits at the worker, one on the way.
        (3 * slots * self.most(class)).min(self.limits.carried)
    }

    /// Returns the largest depth of all classes.
    pub(super) fn greatest_depth(&self, audience: Audience) -> usize {
        let known = self.pace.keys().map(|class| self.depth(audience, *class)).max();
        // Of a class of which nothing is known, a batch is a match.
        known.unwrap_or_else(|| 3 * self.workers.slots_for(audience).max(1))
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

    /// Returns how many matches all batches have for an audience.
    pub(super) fn carried_for(&self, audience: Audience) -> usize {
        let all = self.carried.range((audience, 0)..=(audience, u32::MAX));
        all.map(|(_, matches)| matches).sum()
    }

    fn carried_of(&self, audience: Audience, class: u32) -> usize {
        self.carried.get(&(audience, class)).copied().unwrap_or_default()
    }

    /// Returns how many more matches of a class an audience would have soon.
    pub(super) fn share_left(&self, audience: Audience, class: u32) -> usize {
        self.depth(audience, class).saturating_sub(self.carried_of(audience, class))
    }

    /// Returns how many more matches of a class the carrier should have. An audience has its own
    /// limit: volunteers may say that they have more slots than they have.
    fn room(&self, audience: Audience, class: u32) -> usize {
        let of_all = self.limits.carried.saturating_sub(self.carried_for(audience));
        self.share_left(audience, class).min(of_all)
    }

    /// Returns how many matches the next batch of a kind has.
    fn size(&self, kind: &Kind, waiting: usize) -> usize {
        // The last matches are spread over all slots.
        let share = waiting.div_ceil(2 * self.workers.slots_for(kind.audience).max(1));
        self.most(kind.class).min(share).max(1)
    }

    /// Forms batches of waiting matches, until the carrier has enough.
    pub(super) fn publish(&mut self, now: u64, commands: &mut Vec<Command>) {
        self.waiting.retain(|_, waiting| !waiting.is_empty());
        if now < self.refused_until {
            return;
        }
        // Without room for results, nobody gets matches whose results would need more.
        let may_travel = |kind: &&Kind| {
            let needs_room = kind.is_new && kind.audience.is_open();
            (self.has_room || !needs_room) && self.room(kind.audience, kind.class) > 0
        };
        let mut kinds: Vec<Kind> = self.waiting.keys().filter(may_travel).cloned().collect();
        // A batch of each kind in turn.
        while !kinds.is_empty() {
            kinds.retain(|kind| self.publish_one(now, kind, commands));
        }
    }

    /// Forms a batch, if the carrier should have more of the class. Returns whether it did.
    fn publish_one(&mut self, now: u64, kind: &Kind, commands: &mut Vec<Command>) -> bool {
        let waiting = self.waiting.get(kind).map_or(0, VecDeque::len);
        let room = self.room(kind.audience, kind.class);
        if waiting == 0 || room == 0 {
            return false;
        }
        let size = self.size(kind, waiting);
        let carried = self.carried_of(kind.audience, kind.class);
        // Not a small batch for each match that is over or was submitted: they would stay small.
        let has_half = 2 * carried >= self.depth(kind.audience, kind.class);
        let waits_for_more = has_half && 2 * size < self.most(kind.class);
        let waits_for_room = size > room && carried > self.workers.slots_for(kind.audience);
        if waits_for_more || waits_for_room {
            return false;
        }
        self.form(now, kind, size, commands);
        true
    }

    /// Forms a batch of the first matches of a kind that wait.
    fn form(&mut self, now: u64, kind: &Kind, size: usize, commands: &mut Vec<Command>) {
        let Some(waiting) = self.waiting.get_mut(kind) else { return };
        // A match that was lost travels alone: it may be the reason.
        let is_suspect = |key: &JobKey| self.jobs.get(key).is_some_and(|job| job.loss.times > 0);
        let size = match waiting.front() {
            Some(first) if is_suspect(first) => 1,
            _ => waiting.iter().take(size).take_while(|key| !is_suspect(key)).count(),
        };
        let jobs: Vec<JobKey> = waiting.drain(..size).collect();
        let is_for_all =
            jobs.iter().any(|key| self.jobs.get(key).is_some_and(|job| job.is_for_all));
        let least_speed = if is_for_all { 0 } else { self.least_speed(kind, size) };
        self.last_batch += 1;
        let id = self.last_batch;
        for key in &jobs {
            let job = self.jobs.get_mut(key).expect("what waits is not over");
            job.batch = Some(id);
            job.waits_at = None;
        }
        let batch = Batch {
            size,
            jobs: jobs.iter().copied().collect(),
            place: None,
            least_speed,
            fast_until: self.fast_until(now, kind),
            kind: kind.clone(),
            holder: None,
            owner: None,
            last_owner: None,
            delivery: 0,
            heard: now,
            progress: now,
            waits: 0,
            gone: None,
            is_looked_for: false,
        };
        self.batches.insert(id, batch);
        *self.carried.entry((kind.audience, kind.class)).or_default() += jobs.len();
        let Kind { class, audience, avoid, .. } = kind.clone();
        commands.push(Command::Publish { batch: id, class, audience, avoid, least_speed, jobs });
    }
}
