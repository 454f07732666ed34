//! Batches: how large they are, who has them, and what becomes of those that nobody has.

use std::collections::VecDeque;

use super::{BatchId, Beat, Command, Coordinator, batch::Batch, pace::Pace};
use crate::JobKey;

/// So many leases the carrier may take to say that it has a batch.
const UNSAID: u64 = 8;

/// A batch that no worker has had is published again after it was found waiting so often.
const UNTOUCHED: u32 = 40;

impl Coordinator {
    /// Returns how many matches the carrier should have, so that no worker waits.
    pub(super) fn depth(&self) -> usize {
        let slots = self.workers.slots().max(1) as usize;
        let size = self.pace.values().map(|pace| self.most(*pace)).max().unwrap_or(1);
        // One that is played, one that waits at the worker, one on the way.
        (3 * slots * size).min(self.limits.carried)
    }

    fn most(&self, pace: Pace) -> usize {
        pace.fitting(self.limits.batch).min(self.limits.batch_most)
    }

    /// Returns how many matches the next batch of a class has.
    fn size(&self, class: u32, waiting: usize) -> usize {
        let pace = self.pace.get(&class).copied().unwrap_or_default();
        // The last matches are spread over all slots.
        let share = waiting.div_ceil(2 * self.workers.slots().max(1) as usize);
        self.most(pace).min(share).max(1)
    }

    /// Forms batches of waiting matches, until the carrier has enough.
    pub(super) fn publish(&mut self, now: u64, commands: &mut Vec<Command>) {
        let mut room = self.depth().saturating_sub(self.carried);
        let classes: Vec<u32> = self.waiting.keys().copied().collect();
        // A batch of each class in turn.
        'full: while room > 0 && self.waiting.values().any(|waiting| !waiting.is_empty()) {
            for &class in &classes {
                let waiting = self.waiting.get(&class).map_or(0, VecDeque::len);
                if waiting == 0 || room == 0 {
                    continue;
                }
                let size = self.size(class, waiting);
                // Not a small batch for each match that is over: they would stay small.
                if size > room && self.carried > self.workers.slots() as usize {
                    break 'full;
                }
                let formed = self.form(now, class, size, commands);
                room = room.saturating_sub(formed);
            }
        }
        self.waiting.retain(|_, waiting| !waiting.is_empty());
    }

    /// Forms a batch of the first matches of a class that wait; returns how many it has.
    fn form(&mut self, now: u64, class: u32, size: usize, commands: &mut Vec<Command>) -> usize {
        let Some(waiting) = self.waiting.get_mut(&class) else { return 0 };
        // A match that was lost travels alone: it may be the reason.
        let is_suspect = |key: &JobKey| self.jobs[key].loss.times > 0;
        let size = match waiting.front() {
            Some(first) if is_suspect(first) => 1,
            _ => waiting.iter().take(size).take_while(|key| !is_suspect(key)).count(),
        };
        let jobs: Vec<JobKey> = waiting.drain(..size).collect();
        self.last_batch += 1;
        let id = self.last_batch;
        for key in &jobs {
            self.jobs.get_mut(key).expect("what waits is not over").batch = Some(id);
        }
        let batch = Batch {
            size,
            jobs: jobs.iter().copied().collect(),
            place: None,
            holder: None,
            delivery: 0,
            heard: now,
            waits: 0,
            is_looked_for: false,
        };
        self.batches.insert(id, batch);
        self.carried += jobs.len();
        commands.push(Command::Publish { batch: id, class, jobs });
        size
    }

    /// The carrier has a batch.
    pub(super) fn carried(
        &mut self,
        now: u64,
        id: BatchId,
        place: u64,
        commands: &mut Vec<Command>,
    ) {
        match self.batches.get_mut(&id) {
            Some(batch) => {
                batch.place = Some(place);
                batch.heard = now;
            }
            // It is over or was taken back meanwhile.
            None => commands.push(Command::Remove { batch: id, place }),
        }
    }

    /// The carrier has not taken a batch: its matches wait again.
    pub(super) fn refused(&mut self, now: u64, id: BatchId, commands: &mut Vec<Command>) {
        if let Some(batch) = self.remove(id) {
            batch.jobs.iter().rev().for_each(|&key| self.lose(now, key, None, commands));
        }
    }

    /// A worker says which batches it has.
    pub(super) fn beat(&mut self, now: u64, beat: Beat, commands: &mut Vec<Command>) {
        self.workers.seen(now, &beat.worker, Some(beat.slots));
        for back in beat.returned {
            if let Some(batch) = self.batches.get_mut(&back.batch) {
                // The next delivery is no loss.
                batch.delivery = batch.delivery.max(back.delivery.saturating_add(1));
                batch.holder = None;
                batch.heard = now;
            }
        }
        for held in beat.held {
            let Some(batch) = self.batches.get_mut(&held.batch) else { continue };
            let was_lost = held.delivery > batch.delivery.max(1);
            let lost = batch.holder.take();
            batch.holder = Some(beat.worker.clone());
            batch.delivery = batch.delivery.max(held.delivery);
            batch.heard = now;
            batch.waits = 0;
            batch.is_looked_for = false;
            if was_lost {
                // Without a word by an earlier holder, nobody knows who it was.
                let lost = lost.unwrap_or_else(|| "a worker that said nothing".to_owned());
                self.suspect(now, held.batch, &lost, commands);
            }
        }
    }

    /// A worker was lost that had a batch, and the carrier has delivered it again. If it goes on
    /// like this, the batch is taken apart.
    fn suspect(&mut self, now: u64, id: BatchId, worker: &str, commands: &mut Vec<Command>) {
        self.status.lost += 1;
        let batch = &self.batches[&id];
        if batch.size == 1
            && let Some(job) = batch.jobs.front().and_then(|key| self.jobs.get_mut(key))
            && job.loss.times + 1 < self.limits.losses
        {
            // The new holder tries it.
            job.loss.count(worker, true);
            return;
        }
        // The new holder goes on with it; whoever is first, counts.
        self.give_back(now, id, Some(worker), commands);
    }

    /// Looks for batches of which nothing was heard for long.
    pub(super) fn look(&mut self, now: u64, commands: &mut Vec<Command>) {
        let lease = self.limits.lease;
        let mut unknown = Vec::new();
        for (&id, batch) in &mut self.batches {
            // The carrier says of each batch whether it has it, but perhaps after many others.
            let patience = if batch.place.is_some() { lease } else { UNSAID * lease };
            if batch.heard + patience > now {
                continue;
            }
            match batch.place {
                Some(place) if !batch.is_looked_for => {
                    batch.is_looked_for = true;
                    batch.heard = now;
                    commands.push(Command::Look { batch: id, place });
                }
                // The carrier does not answer.
                Some(_) | None => unknown.push(id),
            }
        }
        for id in unknown {
            self.status.forgotten += 1;
            self.give_back(now, id, None, commands);
        }
    }

    /// The carrier has said whether it has a batch.
    pub(super) fn found(
        &mut self,
        now: u64,
        id: BatchId,
        is_there: bool,
        commands: &mut Vec<Command>,
    ) {
        let Some(batch) = self.batches.get_mut(&id) else { return };
        batch.is_looked_for = false;
        batch.heard = now;
        let holder = batch.holder.take();
        match (is_there, holder) {
            // It is not delivered any more: perhaps it was too often. One that no worker ever had
            // may just wait for its turn.
            (true, None) if batch.waits > if batch.delivery > 0 { 1 } else { UNTOUCHED } => {
                self.status.forgotten += 1;
                self.give_back(now, id, None, commands);
            }
            // It waits for a worker, or will be delivered to the next one.
            (true, _) => batch.waits += 1,
            (false, Some(worker)) if !self.workers.live(&worker) => {
                self.status.lost += 1;
                self.give_back(now, id, Some(&worker), commands);
            }
            // A worker that lives has played it, and its results are lost.
            (false, _) => {
                self.status.forgotten += 1;
                self.give_back(now, id, None, commands);
            }
        }
    }

    /// Takes a batch back: its matches wait again. A worker that was lost may be named.
    fn give_back(
        &mut self,
        now: u64,
        id: BatchId,
        worker: Option<&str>,
        commands: &mut Vec<Command>,
    ) {
        let Some(batch) = self.remove(id) else { return };
        commands.extend(batch.place.map(|place| Command::Remove { batch: id, place }));
        let lost = worker.map(|worker| (worker, batch.size == 1));
        for &key in batch.jobs.iter().rev() {
            self.lose(now, key, lost, commands);
        }
    }

    /// Removes a match from its batch, because it is over or waits again.
    pub(super) fn take_out(&mut self, now: u64, id: BatchId, key: JobKey) {
        let Some(batch) = self.batches.get_mut(&id) else { return };
        batch.heard = now;
        // Results come nearly in order, so that it is one of the first.
        if let Some(at) = batch.jobs.iter().position(|other| *other == key) {
            batch.jobs.remove(at);
            self.carried -= 1;
        }
        if batch.jobs.is_empty() {
            self.batches.remove(&id);
        }
    }

    /// Removes a batch.
    pub(super) fn remove(&mut self, id: BatchId) -> Option<Batch> {
        let batch = self.batches.remove(&id)?;
        self.carried -= batch.jobs.len();
        Some(batch)
    }
}
