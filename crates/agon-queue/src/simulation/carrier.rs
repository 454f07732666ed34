//! A carrier as NATS JetStream is one, with all its weaknesses: queues of batches, which are
//! delivered again unless they are acknowledged.

use std::collections::{BTreeMap, VecDeque};

use crate::{BatchId, JobKey};

/// A batch in the carrier.
#[derive(Clone, Debug)]
pub(super) struct Message {
    pub(super) place: u64,
    pub(super) batch: BatchId,
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
    waiting: VecDeque<Message>,
    delivered: BTreeMap<u64, Delivered>,
    /// Workers that wait for a batch, in order.
    pub(super) pulls: VecDeque<usize>,
}

/// How long a delivery may go without a word, in microseconds.
pub(super) const ACK_WAIT: u64 = 12_000_000;

impl Carrier {
    /// Takes a batch; returns its place.
    pub(super) fn publish(&mut self, batch: BatchId, jobs: Vec<JobKey>) -> u64 {
        self.next += 1;
        let place = self.next;
        self.waiting.push_back(Message { place, batch, jobs, deliveries: 0 });
        place
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
        if self.waiting.is_empty() || self.pulls.is_empty() {
            return None;
        }
        let worker = self.pulls.pop_front()?;
        let mut message = self.waiting.pop_front()?;
        message.deliveries += 1;
        let delivered = Delivered { message: message.clone(), until: now + ACK_WAIT };
        self.delivered.insert(message.place, delivered);
        Some((worker, message))
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
