//! Batches: how large they are, who has them, and what becomes of those that nobody has.

use std::collections::VecDeque;

use super::{
    BatchId, Beat, Command, Coordinator,
    batch::{Batch, Holder},
    kind::Kind,
    pace::Pace,
};
use crate::{Audience, JobKey, Owner};

/// So many leases the carrier may take to say that it has a batch.
const UNSAID: u64 = 8;

/// A batch that no worker has had is published again after it was found waiting so often.
const UNTOUCHED: u32 = 40;

impl Coordinator {
    /// Returns how many matches the carrier should have for an audience, so that no worker waits.
    pub(super) fn depth(&self, audience: Audience) -> usize {
        let slots = self.workers.slots_for(audience).max(1);
        let size = self.pace.values().map(|pace| self.most(*pace)).max().unwrap_or(1);
        // One that is played, one that waits at the worker, one on the way.
        (3 * slots * size).min(self.limits.carried)
    }

    fn most(&self, pace: Pace) -> usize {
        pace.fitting(self.limits.batch).min(self.limits.batch_most)
    }

    /// Returns how many matches all batches have.
    pub(super) fn all_carried(&self) -> usize {
        self.carried.values().sum()
    }

    fn carried_for(&self, audience: Audience) -> usize {
        self.carried.get(&audience).copied().unwrap_or_default()
    }

    /// Returns how many matches the next batch of a kind has.
    fn size(&self, kind: &Kind, waiting: usize) -> usize {
        let pace = self.pace.get(&kind.class).copied().unwrap_or_default();
        // The last matches are spread over all slots.
        let share = waiting.div_ceil(2 * self.workers.slots_for(kind.audience).max(1));
        self.most(pace).min(share).max(1)
    }

    /// Forms batches of waiting matches, until the carrier has enough.
    pub(super) fn publish(&mut self, now: u64, commands: &mut Vec<Command>) {
        for audience in [Audience::Trusted, Audience::Everybody] {
            let mut kinds: Vec<Kind> =
                self.waiting.keys().filter(|kind| kind.audience == audience).cloned().collect();
            let mut room = self.depth(audience).saturating_sub(self.carried_for(audience));
            // A batch of each kind in turn.
            while room > 0 && !kinds.is_empty() {
                kinds.retain(|kind| {
                    let waiting = self.waiting.get(kind).map_or(0, VecDeque::len);
                    if waiting == 0 || room == 0 {
                        return false;
                    }
                    let size = self.size(kind, waiting);
                    // Not a small batch for each match that is over: they would stay small.
                    if size > room && self.carried_for(audience) > self.workers.slots_for(audience)
                    {
                        room = 0;
                        return false;
                    }
                    room = room.saturating_sub(self.form(now, kind, size, commands));
                    true
                });
            }
        }
        self.waiting.retain(|_, waiting| !waiting.is_empty());
    }

    /// Forms a batch of the first matches of a kind that wait; returns how many it has.
    fn form(&mut self, now: u64, kind: &Kind, size: usize, commands: &mut Vec<Command>) -> usize {
        let Some(waiting) = self.waiting.get_mut(kind) else { return 0 };
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
            let job = self.jobs.get_mut(key).expect("what waits is not over");
            job.batch = Some(id);
            job.waits_at = None;
        }
        let batch = Batch {
            size,
            jobs: jobs.iter().copied().collect(),
            place: None,
            audience: kind.audience,
            holder: None,
            owner: None,
            delivery: 0,
            heard: now,
            waits: 0,
            is_looked_for: false,
        };
        self.batches.insert(id, batch);
        *self.carried.entry(kind.audience).or_default() += jobs.len();
        let Kind { class, audience, avoid } = kind.clone();
        commands.push(Command::Publish { batch: id, class, audience, avoid, jobs });
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
        let owner = beat.owner;
        if let Owner::Volunteer(name) = &owner
            && !self.volunteers.take_part(name)
        {
            // Others play what it has taken nevertheless.
            for held in beat.held {
                self.take_back(now, &owner, held.batch, commands);
            }
            return;
        }
        self.workers.seen(now, &beat.worker, &owner, Some(beat.slots));
        for back in beat.returned {
            if !self.may_have(&owner, back.batch) {
                continue;
            }
            if self.batches.get(&back.batch).is_some_and(|batch| batch.holder.is_some()) {
                self.lost_by(now, &owner, commands);
            }
            if let Some(batch) = self.batches.get_mut(&back.batch) {
                // The next delivery is no loss.
                batch.delivery = batch.delivery.max(back.delivery.saturating_add(1));
                batch.holder = None;
                batch.owner = None;
                batch.heard = now;
            }
        }
        for held in beat.held {
            if !self.may_have(&owner, held.batch) {
                continue;
            }
            let Some(batch) = self.batches.get_mut(&held.batch) else { continue };
            let lost = batch.holder.take();
            // What a volunteer says of deliveries is believed of its own workers only.
            let is_known = lost.is_some() || !owner.is_volunteer();
            let was_lost = held.delivery > batch.delivery.max(1) && is_known;
            let is_new = lost.as_ref().is_none_or(|lost| lost.worker != beat.worker);
            batch.holder = Some(Holder { worker: beat.worker.clone(), owner: owner.clone() });
            batch.owner = Some(owner.clone());
            batch.delivery = batch.delivery.max(held.delivery);
            batch.heard = now;
            batch.waits = 0;
            batch.is_looked_for = false;
            if is_new {
                self.volunteers.took(&owner);
            }
            if was_lost {
                // Without a word by an earlier holder, nobody knows who it was.
                let lost = lost.unwrap_or_else(|| Holder {
                    worker: "a worker that said nothing".to_owned(),
                    owner: Owner::Trusted,
                });
                self.suspect(now, held.batch, &lost, commands);
            }
        }
    }

    /// Returns whether somebody's worker can have a batch. A volunteer may say so of one that it
    /// cannot have, or that somebody else has.
    fn may_have(&self, owner: &Owner, id: BatchId) -> bool {
        let Some(batch) = self.batches.get(&id) else { return false };
        match owner {
            Owner::Trusted => true,
            Owner::Volunteer(_) => {
                batch.audience == Audience::Everybody
                    && batch.holder.as_ref().is_none_or(|holder| holder.owner == *owner)
            }
        }
    }

    /// A volunteer has a batch and takes part no more: others get it.
    pub(super) fn take_back(
        &mut self,
        now: u64,
        owner: &Owner,
        id: BatchId,
        commands: &mut Vec<Command>,
    ) {
        if !self.may_have(owner, id) {
            return;
        }
        if let Some(batch) = self.batches.get_mut(&id) {
            // Trusted workers get it first.
            batch.owner = Some(owner.clone());
        }
        self.give_back(now, id, None, commands);
    }

    /// Somebody's worker has not brought all results of a batch.
    fn lost_by(&mut self, now: u64, owner: &Owner, commands: &mut Vec<Command>) {
        if let Some(why) = self.volunteers.incomplete(owner)
            && let Owner::Volunteer(name) = owner
        {
            self.exclude(now, name, why, commands);
        }
    }

    /// A worker was lost that had a batch, and the carrier has delivered it again. If it goes on
    /// like this, the batch is taken apart.
    fn suspect(&mut self, now: u64, id: BatchId, lost: &Holder, commands: &mut Vec<Command>) {
        self.status.lost += 1;
        let Some(batch) = self.batches.get(&id) else { return };
        if batch.size == 1
            && let Some(job) = batch.jobs.front().and_then(|key| self.jobs.get_mut(key))
            && job.loss.times + 1 < self.limits.losses
        {
            // The new holder tries it.
            job.loss.count(&lost.worker, &lost.owner, true);
            return self.lost_by(now, &lost.owner, commands);
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
        self.wait_elsewhere(now, commands);
        self.check_overdue(now);
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
            (false, Some(lost)) if !self.workers.live(&lost.worker) => {
                self.status.lost += 1;
                self.give_back(now, id, Some(&lost), commands);
            }
            // A worker that lives has played it, and its results are lost.
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
        lost: Option<&Holder>,
        commands: &mut Vec<Command>,
    ) {
        let Some(batch) = self.remove(id) else { return };
        commands.extend(batch.place.map(|place| Command::Remove { batch: id, place }));
        let is_alone = batch.size == 1;
        let lost = match (lost, &batch.owner) {
            (Some(lost), _) => Some((lost.worker.as_str(), &lost.owner, is_alone)),
            // A volunteer's worker need not die to lose a batch.
            (None, Some(owner)) if owner.is_volunteer() => Some(("", owner, is_alone)),
            (None, _) => None,
        };
        for &key in batch.jobs.iter().rev() {
            self.lose(now, key, lost, commands);
        }
        let owner = lost.map(|(_, owner, _)| owner.clone()).or(batch.owner);
        if let Some(owner) = owner {
            self.lost_by(now, &owner, commands);
        }
    }

    /// Removes a match from its batch, because it is over or waits again.
    pub(super) fn take_out(&mut self, now: u64, id: BatchId, key: JobKey) {
        let Some(batch) = self.batches.get_mut(&id) else { return };
        batch.heard = now;
        // Results come nearly in order, so that it is one of the first.
        if let Some(at) = batch.jobs.iter().position(|other| *other == key) {
            batch.jobs.remove(at);
            let carried = self.carried.entry(batch.audience).or_default();
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
        let carried = self.carried.entry(batch.audience).or_default();
        *carried = carried.saturating_sub(batch.jobs.len());
        Some(batch)
    }
}
