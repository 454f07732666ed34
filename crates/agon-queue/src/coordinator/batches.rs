//! Who has which batch, and what becomes of those that nobody has.

use super::{
    BatchId, Beat, Command, Coordinator, Held,
    batch::{Batch, Holder},
};
use crate::{Audience, JobKey, Owner};

/// After the carrier has refused a batch, it gets none for this time, in milliseconds. Each further
/// refusal doubles it.
const FIRST_PAUSE: u64 = 100;

/// The longest such pause, in milliseconds.
const LONGEST_PAUSE: u64 = 5_000;

/// So many leases the carrier may take to say that it has a batch.
const UNSAID: u64 = 8;

/// A volunteer may keep a batch without a result so long, in milliseconds; or longer, if matches
/// take long.
const LONGEST: u64 = 120_000;

/// The same as long as nobody knows how long matches take.
const UNKNOWN: u64 = 1_800_000;

/// An open batch that was found waiting so often is given to trusted workers: somebody may have
/// taken it without a word.
const SILENT: u64 = 4;

/// Results of a volunteer may come so much later than the news that it is done, in milliseconds: a
/// machine may be busy.
const LATE: u64 = 30_000;

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
        if let Owner::Volunteer(name) = &beat.owner
            && !self.volunteers.take_part(name)
        {
            return;
        }
        self.workers.seen(now, &beat);
        let Beat { worker, owner, held, returned, .. } = beat;
        for back in returned {
            self.returned(now, &owner, &worker, back, commands);
        }
        for held in held {
            self.held(now, &owner, &worker, held, commands);
        }
    }

    /// A worker gives a batch back.
    fn returned(
        &mut self,
        now: u64,
        owner: &Owner,
        worker: &str,
        back: Held,
        commands: &mut Vec<Command>,
    ) {
        let Some(batch) = self.batches.get_mut(&back.batch) else { return };
        let is_holder = batch.holder.as_ref().is_some_and(|holder| holder.worker == worker);
        // Of others' batches a volunteer can say anything.
        if owner.is_volunteer() && !is_holder {
            return;
        }
        // The next delivery is no loss.
        batch.delivery = batch.delivery.max(back.delivery.saturating_add(1));
        batch.holder = None;
        batch.owner = None;
        batch.heard = now;
        if owner.is_volunteer() {
            self.lost_by(now, owner, false, commands);
        }
    }

    /// A worker has a batch.
    fn held(
        &mut self,
        now: u64,
        owner: &Owner,
        worker: &str,
        held: Held,
        commands: &mut Vec<Command>,
    ) {
        if !self.may_have(owner, held.batch) {
            return;
        }
        let Some(batch) = self.batches.get_mut(&held.batch) else { return };
        let before = batch.holder.take();
        let is_redelivered = held.delivery > batch.delivery.max(1);
        let was_lost = match &before {
            // Somebody may have had it delivered again while the volunteer works on it.
            Some(before) => !(before.owner.is_volunteer() && self.workers.live(&before.worker)),
            // Volunteers may pass batches on.
            None => !batch.kind.audience.is_open(),
        };
        let is_new = batch.owner.as_ref() != Some(owner);
        // Whatever a volunteer says between, its time runs on.
        let is_another = batch.last_owner.as_ref() != Some(owner);
        if is_another {
            batch.last_owner = Some(owner.clone());
            batch.progress = now;
        }
        if is_another || !owner.is_volunteer() {
            batch.waits = 0;
        }
        batch.holder = Some(Holder { worker: worker.to_owned(), owner: owner.clone() });
        batch.owner = Some(owner.clone());
        batch.delivery = batch.delivery.max(held.delivery);
        batch.heard = now;
        batch.is_looked_for = false;
        if is_new {
            self.volunteers.took(owner);
        }
        if is_redelivered && was_lost {
            // Without a word by an earlier holder, nobody knows who it was.
            let lost = before.unwrap_or_else(|| Holder {
                worker: "a worker that said nothing".to_owned(),
                owner: Owner::Trusted,
            });
            self.suspect(now, held.batch, &lost, commands);
        }
    }

    /// Returns whether somebody's worker can have a batch. A volunteer may say so of one that it
    /// cannot have, or that somebody else has.
    fn may_have(&self, owner: &Owner, id: BatchId) -> bool {
        let Some(batch) = self.batches.get(&id) else { return false };
        match owner {
            Owner::Trusted => true,
            Owner::Volunteer(_) => {
                batch.kind.audience.is_open()
                    && batch.holder.as_ref().is_none_or(|holder| holder.owner == *owner)
            }
        }
    }

    /// Somebody's worker, which lives or does not, has not brought all results of a batch.
    pub(super) fn lost_by(
        &mut self,
        now: u64,
        owner: &Owner,
        lives: bool,
        commands: &mut Vec<Command>,
    ) {
        if let Some(why) = self.volunteers.incomplete(now, owner, lives)
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
            && !lost.owner.is_volunteer()
        {
            // The new holder tries it.
            job.loss.count(&lost.worker, true);
            return self.lost_by(now, &lost.owner, false, commands);
        }
        // The new holder goes on with it; whoever is first, counts.
        self.give_back(now, id, Some(lost), commands);
    }

    /// Looks for batches of which nothing was heard for long.
    pub(super) fn look(&mut self, now: u64, commands: &mut Vec<Command>) {
        let lease = self.limits.lease;
        let mut unknown = Vec::new();
        for (&id, batch) in &mut self.batches {
            // A volunteer must not keep matches for ever.
            let took = self.pace.get(&batch.kind.class).map_or(0, |pace| pace.ms(batch.jobs.len()));
            let most = if took > 0 { LONGEST.max(20 * took) } else { UNKNOWN };
            let is_volunteers = batch.last_owner.as_ref().is_some_and(Owner::is_volunteer);
            if is_volunteers && batch.progress + most < now {
                unknown.push(id);
                continue;
            }
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
        self.take_from_fast(now, commands);
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
        let lease = self.limits.lease;
        let class = self.batches.get(&id).map(|batch| batch.kind.class);
        let is_full = class.is_some_and(|class| {
            self.has_trusted(class) && self.share_left(Audience::Trusted, class) == 0
        });
        let Some(batch) = self.batches.get_mut(&id) else { return };
        batch.is_looked_for = false;
        batch.heard = now;
        let holder = batch.holder.take();
        let is_open = batch.kind.audience.is_open();
        let mean = self.pace.get(&batch.kind.class).map_or(0, |pace| pace.ms(batch.size));
        // One that no worker ever had may just wait for its turn.
        let most = match (batch.delivery > 0, is_open) {
            (true, _) => 1,
            // Trusted workers get no more of what volunteers leave than they play soon.
            (false, true) if is_full => u32::MAX,
            (false, true) => SILENT.max(8 * mean / lease) as u32,
            (false, false) => UNTOUCHED,
        };
        match (is_there, holder) {
            // It is not delivered any more: perhaps it was too often.
            (true, None) if batch.waits > most => self.forgotten(now, id, commands),
            // It waits for a worker, or will be delivered to the next one.
            (true, _) => batch.waits = batch.waits.saturating_add(1),
            (false, Some(lost)) if !self.workers.live(&lost.worker) => {
                self.status.lost += 1;
                self.give_back(now, id, Some(&lost), commands);
            }
            (false, Some(holder))
                if holder.owner.is_volunteer() && now < *batch.gone.get_or_insert(now) + LATE =>
            {
                batch.holder = Some(holder);
            }
            // A worker that lives has played it, and its results are lost.
            (false, Some(holder)) => {
                self.forgotten(now, id, commands);
                self.lost_by(now, &holder.owner, true, commands);
            }
            (false, None) => self.forgotten(now, id, commands),
        }
    }

    /// The carrier has a batch no more, or does not deliver it, and nobody knows why.
    fn forgotten(&mut self, now: u64, id: BatchId, commands: &mut Vec<Command>) {
        self.status.forgotten += 1;
        let Some(batch) = self.batches.get_mut(&id) else { return };
        batch.owner = None;
        if batch.kind.audience.is_open() {
            // Trusted workers get it first.
            for key in &batch.jobs {
                if let Some(job) = self.jobs.get_mut(key) {
                    job.was_dropped = true;
                }
            }
        }
        self.give_back(now, id, None, commands);
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
        if let Some((_, owner, _)) = lost {
            self.lost_by(now, owner, false, commands);
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
            let carried = self.carried.entry((batch.kind.audience, batch.kind.class)).or_default();
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
        let carried = self.carried.entry((batch.kind.audience, batch.kind.class)).or_default();
        *carried = carried.saturating_sub(batch.jobs.len());
        Some(batch)
    }
}
