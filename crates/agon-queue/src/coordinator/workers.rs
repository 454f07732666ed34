//! The workers that live.

use std::collections::BTreeMap;

use super::{events::Beat, limits::Limits};
use crate::{Audience, Owner};

/// The most workers of volunteers that are followed; others are played with, but not counted. Of
/// all there may be twice as many.
const MOST: usize = 100_000;

/// What is known of a worker.
#[derive(Clone, Copy, Debug)]
struct Worker {
    is_trusted: bool,
    slots: u32,
    seen: u64,
    /// Whether it had no matches of this run when it said last that it lives.
    is_idle: bool,
}

/// The workers that have told something lately.
#[derive(Clone, Debug, Default)]
pub(super) struct Workers {
    by_name: BTreeMap<String, Worker>,
    /// All slots, and those of trusted workers.
    slots: u64,
    trusted: u64,
    /// When the next one may be forgotten.
    next: u64,
}

impl Workers {
    /// A worker has said that it lives.
    pub(super) fn seen(&mut self, now: u64, beat: &Beat) {
        let Beat { worker: name, owner, .. } = beat;
        // No machine has more, and a volunteer may lie.
        let most = if owner.is_volunteer() { 256 } else { 4096 };
        let slots = beat.slots.min(most);
        if let Some(worker) = self.meet(now, name, owner) {
            worker.is_idle = beat.held.is_empty();
            let before = std::mem::replace(&mut worker.slots, slots);
            self.slots = self.slots - u64::from(before) + u64::from(slots);
            if !owner.is_volunteer() {
                self.trusted = self.trusted - u64::from(before) + u64::from(slots);
            }
        }
    }

    /// A worker has sent something else.
    pub(super) fn heard(&mut self, now: u64, name: &str, owner: &Owner) {
        self.meet(now, name, owner);
    }

    /// Returns a worker that lives; `None` if there is no room for one more.
    fn meet(&mut self, now: u64, name: &str, owner: &Owner) -> Option<&mut Worker> {
        // Volunteers cannot leave trusted workers without room.
        let room = if owner.is_volunteer() { MOST } else { 2 * MOST };
        if !self.by_name.contains_key(name) {
            if self.by_name.len() >= room {
                return None;
            }
            let is_trusted = !owner.is_volunteer();
            self.slots += 1;
            self.trusted += u64::from(is_trusted);
            let worker = Worker { is_trusted, slots: 1, seen: now, is_idle: false };
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
        self.count_slots();
    }

    fn count_slots(&mut self) {
        self.slots = self.by_name.values().map(|worker| u64::from(worker.slots)).sum();
        let trusted = self.by_name.values().filter(|worker| worker.is_trusted);
        self.trusted = trusted.map(|worker| u64::from(worker.slots)).sum();
    }

    /// Forgets a worker at once.
    pub(super) fn remove(&mut self, name: &str) {
        if self.by_name.remove(name).is_some() {
            self.count_slots();
        }
    }

    /// Returns the slots of those who may have matches for an audience.
    pub(super) fn slots_for(&self, audience: Audience) -> usize {
        let slots = match audience {
            Audience::Trusted => self.trusted,
            Audience::Everybody => self.slots,
        };
        usize::try_from(slots).unwrap_or(usize::MAX)
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
