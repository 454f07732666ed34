//! A carrier as NATS JetStream is one, with all its weaknesses: queues of batches, which are
//! delivered again unless they are acknowledged.

use std::collections::{BTreeMap, VecDeque};

use crate::fleet::{BatchId, JobKey};

/// A batch in the carrier.
#[derive(Clone, Debug)]
pub(super) struct Message {
    pub(super) place: u64,
    pub(super) batch: BatchId,
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
    /// The speeds of workers.
    speeds: Vec<u32>,
    waiting: VecDeque<Message>,
    delivered: BTreeMap<u64, Delivered>,
    /// Workers that wait for a batch, in order.
    pulls: VecDeque<usize>,
    /// For how many batches each worker waits.
    waits: BTreeMap<usize, usize>,
}

/// How long a delivery may go without a word, in microseconds.
pub(super) const ACK_WAIT: u64 = 12_000_000;

impl Carrier {
    pub(super) fn new(speeds: Vec<u32>) -> Carrier {
        Carrier { speeds, ..Carrier::default() }
    }

    /// Takes a batch; returns its place.
    pub(super) fn publish(&mut self, message: Message) -> u64 {
        self.next += 1;
        let place = self.next;
        self.waiting.push_back(Message { place, ..message });
        place
    }

    /// A worker waits for a batch.
    pub(super) fn pull(&mut self, worker: usize) {
        self.pulls.push_back(worker);
        *self.waits.entry(worker).or_default() += 1;
    }

    /// A worker does not wait any more.
    pub(super) fn end_pull(&mut self, worker: usize) {
        // Most of the time it does not wait: the list is long.
        if self.waits.remove(&worker).is_some_and(|count| count > 0) {
            self.pulls.retain(|other| *other != worker);
        }
    }

    /// Takes a place without keeping anything: it has acknowledged, and forgets.
    pub(super) fn forget(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    pub(super) fn has(&self, place: u64) -> bool {
        self.delivered.contains_key(&place)
            || self.waiting.iter().any(|message| message.place == place)
    }

    pub(super) fn remove(&mut self, place: u64) {
        self.delivered.remove(&place);
        self.waiting.retain(|message| message.place != place);
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
        let (worker, mut message) = self.take()?;
        message.deliveries += 1;
        if let Some(count) = self.waits.get_mut(&worker) {
            *count -= 1;
        }
        let delivered = Delivered { message: message.clone(), until: now + ACK_WAIT };
        self.delivered.insert(message.place, delivered);
        Some((worker, message))
    }

    fn take(&mut self) -> Option<(usize, Message)> {
        let speeds = &self.speeds;
        for at in 0..self.waiting.len() {
            let least = self.waiting[at].least_speed;
            let may = |worker: &usize| speeds[*worker] >= least;
            if let Some(found) = self.pulls.iter().position(may) {
                let worker = self.pulls.remove(found)?;
                return Some((worker, self.waiting.remove(at)?));
            }
            if least == 0 {
                // Nobody waits.
                return None;
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
            self.waiting.push_front(delivered.message);
        }
    }

    /// Forgets all that it has.
    pub(super) fn wipe(&mut self) {
        self.waiting.clear();
        self.delivered.clear();
    }
}
