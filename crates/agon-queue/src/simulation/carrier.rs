//! A carrier as NATS JetStream is one, with all its weaknesses: queues of batches, which are
//! delivered again unless they are acknowledged.

use std::collections::{BTreeMap, VecDeque};

use crate::{Audience, BatchId, JobKey};

/// A batch in the carrier.
#[derive(Clone, Debug)]
pub(super) struct Message {
    pub(super) place: u64,
    pub(super) batch: BatchId,
    pub(super) audience: Audience,
    pub(super) avoid: Vec<String>,
    /// The speed that a worker must have to get it.
    pub(super) least_speed: u32,
    pub(super) jobs: Vec<JobKey>,
    pub(super) deliveries: u32,
}

/// A delivery that was not acknowledged yet.
#[derive(Clone, Debug)]
struct Delivered {
    message: Message,
    until: u64,
}

/// The carrier.
#[derive(Clone, Debug, Default)]
pub(super) struct Carrier {
    next: u64,
    /// The volunteers that have lent the workers; `None` of trusted ones.
    owners: Vec<Option<String>>,
    /// The speeds of workers.
    speeds: Vec<u32>,
    waiting: BTreeMap<Audience, VecDeque<Message>>,
    delivered: BTreeMap<u64, Delivered>,
    /// Trusted workers that wait for a batch, and those of volunteers, in order.
    pulls: [VecDeque<usize>; 2],
    /// For how many batches each worker waits.
    waits: BTreeMap<usize, usize>,
}

/// How long a delivery may go without a word, in microseconds.
pub(super) const ACK_WAIT: u64 = 12_000_000;

impl Carrier {
    pub(super) fn new(owners: Vec<Option<String>>, speeds: Vec<u32>) -> Carrier {
        Carrier { owners, speeds, ..Carrier::default() }
    }

    /// Takes a batch; returns its place.
    pub(super) fn publish(&mut self, message: Message) -> u64 {
        self.next += 1;
        let place = self.next;
        let waiting = self.waiting.entry(message.audience).or_default();
        waiting.push_back(Message { place, ..message });
        place
    }

    /// A worker waits for a batch.
    pub(super) fn pull(&mut self, worker: usize) {
        let is_lent = self.owners[worker].is_some();
        self.pulls[usize::from(is_lent)].push_back(worker);
        *self.waits.entry(worker).or_default() += 1;
    }

    /// A worker does not wait any more.
    pub(super) fn end_pull(&mut self, worker: usize) {
        // Most of the time it does not wait: the list is long.
        if self.waits.remove(&worker).is_some_and(|count| count > 0) {
            self.pulls.iter_mut().for_each(|pulls| pulls.retain(|other| *other != worker));
        }
    }

    /// Takes a place without keeping anything: it has acknowledged, and forgets.
    pub(super) fn forget(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    pub(super) fn has(&self, place: u64) -> bool {
        self.delivered.contains_key(&place)
            || self.waiting.values().flatten().any(|message| message.place == place)
    }

    pub(super) fn remove(&mut self, place: u64) {
        self.delivered.remove(&place);
        for waiting in self.waiting.values_mut() {
            waiting.retain(|message| message.place != place);
        }
    }

    /// Takes back deliveries of which nobody has told anything for too long.
    pub(super) fn expire(&mut self, now: u64) {
        let late: Vec<u64> = self
            .delivered
            .iter()
            .filter(|(_, delivered)| delivered.until <= now)
            .map(|(place, _)| *place)
            .collect();
        late.into_iter().for_each(|place| self.give_back(place));
    }

    /// Returns the next delivery, if a batch and a worker wait.
    pub(super) fn deliver(&mut self, now: u64) -> Option<(usize, Message)> {
        let (worker, mut message) = self.take_trusted().or_else(|| self.take_open())?;
        message.deliveries += 1;
        if let Some(count) = self.waits.get_mut(&worker) {
            *count -= 1;
        }
        let delivered = Delivered { message: message.clone(), until: now + ACK_WAIT };
        self.delivered.insert(message.place, delivered);
        Some((worker, message))
    }

    fn take_trusted(&mut self) -> Option<(usize, Message)> {
        let waiting = self.waiting.get_mut(&Audience::Trusted)?;
        let speeds = &self.speeds;
        for at in 0..waiting.len() {
            let least = waiting[at].least_speed;
            let may = |worker: &usize| speeds[*worker] >= least;
            if let Some(found) = self.pulls[0].iter().position(may) {
                let worker = self.pulls[0].remove(found)?;
                return Some((worker, waiting.remove(at)?));
            }
            if least == 0 {
                // Nobody waits.
                return None;
            }
        }
        None
    }

    fn take_open(&mut self) -> Option<(usize, Message)> {
        let waiting = self.waiting.get_mut(&Audience::Everybody)?;
        for at in 0..waiting.len() {
            let Message { avoid, least_speed, .. } = &waiting[at];
            let owners = &self.owners;
            let speeds = &self.speeds;
            let may = |worker: &usize| {
                speeds[*worker] >= *least_speed
                    && owners[*worker].as_ref().is_none_or(|owner| !avoid.contains(owner))
            };
            // Volunteers first: trusted workers have more to do.
            for pulls in self.pulls.iter_mut().rev() {
                if let Some(found) = pulls.iter().position(may) {
                    let worker = pulls.remove(found)?;
                    return Some((worker, waiting.remove(at)?));
                }
            }
        }
        None
    }

    pub(super) fn progress(&mut self, now: u64, place: u64) {
        if let Some(delivered) = self.delivered.get_mut(&place) {
            delivered.until = now + ACK_WAIT;
        }
    }

    pub(super) fn acknowledge(&mut self, place: u64) {
        self.delivered.remove(&place);
    }

    pub(super) fn give_back(&mut self, place: u64) {
        if let Some(delivered) = self.delivered.remove(&place) {
            let waiting = self.waiting.entry(delivered.message.audience).or_default();
            waiting.push_front(delivered.message);
        }
    }

    /// Forgets all that it has.
    pub(super) fn wipe(&mut self) {
        self.waiting.clear();
        self.delivered.clear();
    }
}
