//! Matches that wait, by what they travel with.

use super::{Batch, Command, Coordinator, Job, kind::Kind};
use crate::{Audience, JobKey};

impl Coordinator {
    /// Has a match wait; behind others, or before them.
    pub(super) fn wait(&mut self, key: JobKey, is_first: bool) {
        let Some(job) = self.jobs.get(&key) else { return };
        let kind = self.kind(job);
        let waiting = self.waiting.entry(kind.clone()).or_default();
        match is_first {
            true => waiting.push_front(key),
            false => waiting.push_back(key),
        }
        let job = self.jobs.get_mut(&key).expect("it was there");
        job.batch = None;
        job.waits_at = Some(kind);
    }

    /// Has a match wait no more.
    pub(super) fn unqueue(&mut self, key: JobKey) {
        let Some(job) = self.jobs.get_mut(&key) else { return };
        if let Some(kind) = job.waits_at.take()
            && let Some(waiting) = self.waiting.get_mut(&kind)
        {
            waiting.retain(|other| *other != key);
        }
    }

    /// Returns whether a trusted worker is there for matches of a class, or may be: at first nobody
    /// has told anything yet.
    pub(super) fn has_trusted(&self, class: u32) -> bool {
        let is_new = self.began.is_none_or(|began| self.now < began + self.limits.silence);
        let is_there = self.workers.slots_for(Audience::Trusted) > 0;
        (is_there || is_new) && !self.unable.contains(&class)
    }

    /// Returns with what a match travels now. Trusted workers check what volunteers have said, and
    /// get what those have dropped; if there is none, others get it.
    fn kind(&self, job: &Job) -> Kind {
        let has_trusted = self.has_trusted(job.class);
        let is_special = job.was_dropped || !job.claims.is_empty();
        let audience = match job.terms.audience {
            Audience::Everybody if !(is_special && has_trusted) => Audience::Everybody,
            _ => Audience::Trusted,
        };
        let mut avoid = Vec::new();
        if audience.is_open() {
            avoid.extend(self.volunteers.excluded().iter().cloned());
            avoid.extend(job.claims.iter().map(|claim| claim.owner.clone()));
            avoid.extend(job.lost_by.iter().cloned());
            avoid.sort_unstable();
            avoid.dedup();
        }
        Kind { is_new: job.claims.is_empty(), class: job.class, audience, avoid }
    }

    /// Where the last trusted worker has gone, others get what they may have.
    pub(super) fn wait_elsewhere(&mut self, now: u64, commands: &mut Vec<Command>) {
        let is_left = |kind: &Kind| !kind.audience.is_open() && !self.has_trusted(kind.class);
        let kinds: Vec<Kind> = self.waiting.keys().filter(|kind| is_left(kind)).cloned().collect();
        let is_open =
            |key: &JobKey| self.jobs.get(key).is_some_and(|job| job.terms.audience.is_open());
        let is_free = |batch: &Batch| {
            is_left(&batch.kind) && batch.holder.is_none() && batch.jobs.iter().all(is_open)
        };
        let batches: Vec<_> =
            self.batches.iter().filter(|(_, of)| is_free(of)).map(|(id, _)| *id).collect();
        for kind in kinds {
            let Some(keys) = self.waiting.remove(&kind) else { continue };
            for key in keys {
                // Secret ones wait on at the same place.
                if let Some(job) = self.jobs.get_mut(&key) {
                    job.waits_at = None;
                }
                self.wait(key, false);
            }
        }
        for id in batches {
            self.give_back(now, id, None, commands);
        }
    }
}
