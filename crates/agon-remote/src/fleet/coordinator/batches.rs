//! Who has which batch, and what becomes of those that nobody has.

use super::{BatchId, Beat, Command, Coordinator, Held, batch::Batch};
use crate::fleet::JobKey;

/// After the carrier has refused a batch, it gets none for this time, in milliseconds. Each further
/// refusal doubles it.
const FIRST_PAUSE: u64 = 100;

/// The longest such pause, in milliseconds.
const LONGEST_PAUSE: u64 = 5_000;

/// So many leases the carrier may take to say that it has a batch.
const UNSAID: u64 = 8;

/// A batch that no worker has had is published again after it was found waiting so often.
const UNTOUCHED: u32 = 40;

impl Coordinator {
    /// The carrier has a batch.
    pub(super) fn carried(
        &mut self,
        now: u64,
        id: BatchId,
        place: u64,
        commands: &mut Vec<Command>,
    ) {
        self.refusal_pause = 0;
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
        // Others that were sent with it say nothing new.
        if now >= self.refused_until {
            self.refusal_pause = (2 * self.refusal_pause).clamp(FIRST_PAUSE, LONGEST_PAUSE);
            self.refused_until = now + self.refusal_pause;
        }
        if let Some(batch) = self.remove(id) {
            batch.jobs.iter().rev().for_each(|&key| self.lose(now, key, None, commands));
        }
    }

    /// A worker says which batches it has.
    pub(super) fn beat(&mut self, now: u64, beat: Beat, commands: &mut Vec<Command>) {
        self.workers.seen(now, &beat);
        let Beat { worker, held, returned, .. } = beat;
        for back in returned {
            let Some(batch) = self.batches.get_mut(&back.batch) else { continue };
            // The next delivery is no loss.
            batch.delivery = batch.delivery.max(back.delivery.saturating_add(1));
            batch.holder = None;
            batch.heard = now;
        }
        for held in held {
            self.held(now, &worker, held, commands);
        }
    }

    /// A worker has a batch.
    fn held(&mut self, now: u64, worker: &str, held: Held, commands: &mut Vec<Command>) {
        let Some(batch) = self.batches.get_mut(&held.batch) else { return };
        let is_redelivered = held.delivery > batch.delivery.max(1);
        let before = batch.holder.replace(worker.to_owned());
        if before.as_deref() != Some(worker) {
            batch.progress = now;
        }
        batch.delivery = batch.delivery.max(held.delivery);
        batch.heard = now;
        batch.waits = 0;
        batch.is_looked_for = false;
        // Without a word of an earlier holder, nobody has begun the matches.
        if let Some(lost) = before.filter(|_| is_redelivered) {
            self.suspect(now, held.batch, &lost, commands);
        }
    }

    /// A worker was lost that had a batch, and the carrier has delivered it again. If it goes on
    /// like this, the batch is taken apart.
    fn suspect(&mut self, now: u64, id: BatchId, lost: &str, commands: &mut Vec<Command>) {
        self.status.lost += 1;
        let Some(batch) = self.batches.get(&id) else { return };
        if batch.size == 1
            && let Some(job) = batch.jobs.front().and_then(|key| self.jobs.get_mut(key))
            && job.loss.times + 1 < self.limits.losses
        {
            // The new holder tries it.
            return job.loss.count(lost, true);
        }
        // The new holder goes on with it; whoever is first, counts.
        self.give_back(now, id, Some(lost), commands);
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
        self.take_from_silent(now, commands);
        self.take_from_fast(now, commands);
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
        // One that no worker ever had may just wait for its turn.
        let most = if batch.delivery > 0 { 1 } else { UNTOUCHED };
        match (is_there, holder) {
            // It is not delivered any more: perhaps it was too often.
            (true, None) if batch.waits > most => {
                self.status.forgotten += 1;
                self.give_back(now, id, None, commands);
            }
            // It waits for a worker, or will be delivered to the next one.
            (true, _) => batch.waits = batch.waits.saturating_add(1),
            (false, Some(lost)) if !self.workers.live(&lost) => {
                self.status.lost += 1;
                self.give_back(now, id, Some(&lost), commands);
            }
            // A worker that lives has played it, and its results are lost; or nobody knows.
            (false, _) => {
                self.status.forgotten += 1;
                self.give_back(now, id, None, commands);
            }
        }
    }

    /// Takes a batch back: its matches wait again. A worker that was lost may be named.
    pub(super) fn give_back(
        &mut self,
        now: u64,
        id: BatchId,
        lost: Option<&str>,
        commands: &mut Vec<Command>,
    ) {
        let Some(batch) = self.remove(id) else { return };
        commands.extend(batch.place.map(|place| Command::Remove { batch: id, place }));
        let lost = lost.map(|lost| (lost, batch.size == 1));
        for &key in batch.jobs.iter().rev() {
            self.lose(now, key, lost, commands);
        }
    }

    /// Removes a match from its batch, because it is over or waits again.
    pub(super) fn take_out(&mut self, now: u64, id: BatchId, key: JobKey) {
        let Some(batch) = self.batches.get_mut(&id) else { return };
        batch.heard = now;
        batch.progress = now;
        // Results come nearly in order, so that it is one of the first.
        if let Some(at) = batch.jobs.iter().position(|other| *other == key) {
            batch.jobs.remove(at);
            let carried = self.carried.entry(batch.class).or_default();
            *carried = carried.saturating_sub(1);
        }
        if let Some(job) = self.jobs.get_mut(&key) {
            job.batch = None;
        }
        if batch.jobs.is_empty() {
            self.batches.remove(&id);
        }
    }

    /// Removes a batch.
    pub(super) fn remove(&mut self, id: BatchId) -> Option<Batch> {
        let batch = self.batches.remove(&id)?;
        let carried = self.carried.entry(batch.class).or_default();
        *carried = carried.saturating_sub(batch.jobs.len());
        Some(batch)
    }
}
