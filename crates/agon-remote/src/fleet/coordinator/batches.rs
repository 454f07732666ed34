//! Who has which batch, and what becomes of those that nobody has.

use std::collections::VecDeque;

use super::{Beat, Coordinator};
use crate::fleet::JobKey;
use crate::fleet::message::{BatchId, Held};

/// After the carrier has refused a batch, it gets none for this time, in milliseconds. Each further
/// refusal doubles it.
const FIRST_PAUSE: u64 = 100;

/// The longest such pause, in milliseconds.
const LONGEST_PAUSE: u64 = 5_000;

/// So many leases the carrier may take to say that it has a batch.
const UNSAID: u64 = 8;

/// A batch that no worker has had is published again after it was found waiting so often.
const UNTOUCHED: u32 = 40;

/// A worker may keep a batch without a result so long, in milliseconds; or longer, if matches take
/// long.
const LONGEST_KEPT: u64 = 300_000;

/// The same as long as nobody knows how long matches take.
const LONGEST_UNKNOWN: u64 = 1_800_000;

/// How many times as long as usual a batch may take.
const FACTOR: u64 = 20;

/// A batch of which not all matches are over.
#[derive(Clone, Debug)]
pub(super) struct Batch {
    /// How many matches it had at first.
    pub(super) size: usize,
    /// Its matches that are not over, in the order in which they are played.
    pub(super) jobs: VecDeque<JobKey>,
    /// Where the carrier has it, once it has said so.
    pub(super) place: Option<u64>,
    /// The class of its matches.
    pub(super) class: u32,
    /// The worker that said that it has it.
    pub(super) holder: Option<String>,
    /// How often it was delivered.
    delivery: u32,
    /// When something was heard of it.
    pub(super) heard: u64,
    /// When its holder took it, or a result of it came.
    pub(super) progress: u64,
    /// How often it was found waiting since a worker last said that it has it.
    waits: u32,
    /// Whether the carrier was asked for it.
    is_looked_for: bool,
}

impl Batch {
    pub(super) fn new(class: u32, jobs: &[JobKey], now: u64) -> Batch {
        Batch {
            size: jobs.len(),
            jobs: jobs.iter().copied().collect(),
            place: None,
            class,
            holder: None,
            delivery: 0,
            heard: now,
            progress: now,
            waits: 0,
            is_looked_for: false,
        }
    }
}

impl Coordinator {
    /// The carrier has a batch, at a place by which it can be found.
    pub fn carried(&mut self, batch: BatchId, place: u64) {
        self.refusal_pause = 0;
        match self.batches.get_mut(&batch) {
            Some(batch) => {
                batch.place = Some(place);
                batch.heard = self.now;
            }
            // It is over or was taken back meanwhile.
            None => self.actions.remove.push((batch, place)),
        }
    }

    /// The carrier has not taken a batch: its matches wait again.
    pub fn refused(&mut self, batch: BatchId) {
        // Others that were sent with it say nothing new.
        if self.now >= self.refused_until {
            self.refusal_pause = (2 * self.refusal_pause).clamp(FIRST_PAUSE, LONGEST_PAUSE);
            self.refused_until = self.now + self.refusal_pause;
        }
        self.give_back(batch, None);
    }

    /// A worker says which batches it has.
    pub fn beat(&mut self, beat: Beat) {
        self.workers.seen(self.now, &beat);
        let Beat { worker, held, returned, .. } = beat;
        for back in returned {
            let Some(batch) = self.batches.get_mut(&back.batch) else { continue };
            // The next delivery is no loss.
            batch.delivery = batch.delivery.max(back.delivery.saturating_add(1));
            batch.holder = None;
            batch.heard = self.now;
        }
        for held in held {
            self.held(&worker, held);
        }
    }

    /// A worker has a batch.
    fn held(&mut self, worker: &str, held: Held) {
        let Some(batch) = self.batches.get_mut(&held.batch) else { return };
        let is_redelivered = held.delivery > batch.delivery.max(1);
        let before = batch.holder.replace(worker.to_owned());
        if before.as_deref() != Some(worker) {
            batch.progress = self.now;
        }
        batch.delivery = batch.delivery.max(held.delivery);
        batch.heard = self.now;
        batch.waits = 0;
        batch.is_looked_for = false;
        // Without a word of an earlier holder, nobody has begun the matches.
        let Some(lost) = before.filter(|_| is_redelivered) else { return };

        // That worker was lost, and the carrier has delivered the batch again.
        self.status.lost += 1;
        if batch.size == 1
            && let Some(job) = batch.jobs.front().and_then(|key| self.jobs.get_mut(key))
            && job.loss.times + 1 < self.limits.losses
        {
            // The new holder tries it.
            return job.loss.count(&lost, true);
        }
        // The batch is taken apart. The new holder goes on with it; whoever is first, counts.
        self.give_back(held.batch, Some(&lost));
    }

    /// Time has passed: looks for batches of which nothing was heard for long, and takes those from
    /// workers that have brought no result for far too long.
    pub fn tick(&mut self) {
        let (now, lease) = (self.now, self.limits.lease);
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
                    self.actions.look.push((id, place));
                }
                // The carrier does not answer.
                Some(_) | None => unknown.push(id),
            }
        }
        for id in unknown {
            self.forgotten(id);
        }

        // Somebody else plays what a silent worker keeps, too. Each further time they may take
        // twice as long, because some matches are just long.
        let mut kept = Vec::new();
        for (&id, batch) in &self.batches {
            let Some(holder) = &batch.holder else { continue };
            let took = self.pace.get(&batch.class).map_or(0, |pace| pace.ms(batch.jobs.len()));
            let most = if took > 0 { LONGEST_KEPT.max(FACTOR * took) } else { LONGEST_UNKNOWN };
            let before = |key: &JobKey| self.jobs.get(key).map_or(0, |job| job.kept);
            let times = batch.jobs.iter().map(before).max().unwrap_or(0).min(16);
            if batch.progress + (most << times) < now {
                self.actions.silent.push(holder.clone());
                kept.push(id);
            }
        }
        for id in kept {
            for key in &self.batches[&id].jobs {
                if let Some(job) = self.jobs.get_mut(key) {
                    job.kept += 1;
                }
            }
            self.give_back(id, None);
        }
    }

    /// The carrier has said whether it has a batch.
    pub fn found(&mut self, batch: BatchId, is_there: bool) {
        let id = batch;
        let Some(batch) = self.batches.get_mut(&id) else { return };
        batch.is_looked_for = false;
        batch.heard = self.now;
        let holder = batch.holder.take();
        // One that no worker ever had may just wait for its turn.
        let most = if batch.delivery > 0 { 1 } else { UNTOUCHED };
        match (is_there, holder) {
            // It is not delivered any more: perhaps it was too often.
            (true, None) if batch.waits > most => self.forgotten(id),
            // It waits for a worker, or will be delivered to the next one.
            (true, _) => batch.waits = batch.waits.saturating_add(1),
            (false, Some(lost)) if !self.workers.live(&lost) => {
                self.status.lost += 1;
                self.give_back(id, Some(&lost));
            }
            // A worker that lives has played it, and its results are lost; or nobody knows.
            (false, _) => self.forgotten(id),
        }
    }

    /// The carrier has forgotten a batch.
    fn forgotten(&mut self, id: BatchId) {
        self.status.forgotten += 1;
        self.give_back(id, None);
    }

    /// Takes a batch back: its matches wait again. A worker that was lost may be named.
    fn give_back(&mut self, id: BatchId, lost: Option<&str>) {
        let Some(batch) = self.take_back(id) else { return };
        let lost = lost.map(|lost| (lost, batch.size == 1));
        for &key in batch.jobs.iter().rev() {
            self.lose(key, lost);
        }
    }

    /// Takes a batch back, and leaves its matches without one.
    pub(super) fn take_back(&mut self, id: BatchId) -> Option<Batch> {
        let batch = self.batches.remove(&id)?;
        let carried = self.carried.entry(batch.class).or_default();
        *carried = carried.saturating_sub(batch.jobs.len());
        self.actions.remove.extend(batch.place.map(|place| (id, place)));
        for key in &batch.jobs {
            if let Some(job) = self.jobs.get_mut(key) {
                job.batch = None;
            }
        }
        Some(batch)
    }

    /// Removes a match from its batch, because it is over or waits again.
    pub(super) fn take_out(&mut self, id: BatchId, key: JobKey) {
        let Some(batch) = self.batches.get_mut(&id) else { return };
        (batch.heard, batch.progress) = (self.now, self.now);
        // Results come nearly in order, so that it is one of the first.
        if let Some(at) = batch.jobs.iter().position(|other| *other == key) {
            batch.jobs.remove(at);
            let carried = self.carried.entry(batch.class).or_default();
            *carried = carried.saturating_sub(1);
        }
        if batch.jobs.is_empty() {
            self.batches.remove(&id);
        }
    }
}
