//! Looks at a batch before the worker counts it: who has published it, and whether it may be played
//! here.

use std::collections::BTreeSet;

use agon_remote::fleet::message::{BatchMessage, read_batch};
use agon_text::escape;
use tracing::warn;

use crate::nats::{Delivery, Nats, Refusal};

/// What a batch is for this worker.
pub(super) enum Inspected {
    /// It may play it.
    Playable(Box<BatchMessage>),
    /// Other workers must play it.
    ForOthers(Box<BatchMessage>),
    /// This worker does not know whose it is; others may. If it can be read, it may be another's.
    Unknown(Option<Box<BatchMessage>>),
    /// Nobody can use it.
    Useless,
}

/// Looks at batches.
pub(super) struct Inspector {
    nats: Nats,
    /// The name of this worker, as coordinators know it.
    worker: String,
    /// Refusals that were told.
    told: BTreeSet<Refusal>,
}

impl Inspector {
    pub(super) fn new(nats: Nats, worker: String) -> Inspector {
        Inspector { nats, worker: escape(&worker).into_owned(), told: BTreeSet::new() }
    }

    pub(super) fn inspect(&mut self, batch: &Delivery) -> Inspected {
        if let Err(refusal) = self.nats.check_batch(batch) {
            if self.told.insert(refusal) {
                warn!("a batch of matches is not played: {refusal}");
            }
            // The clock of this machine may be wrong.
            let is_useless = self.nats.knows_all() && refusal != Refusal::Expired;
            return match is_useless {
                true => Inspected::Useless,
                false => Inspected::Unknown(read_batch(&batch.bytes).ok().map(Box::new)),
            };
        }
        match read_batch(&batch.bytes) {
            Ok(message) if message.avoid.contains(&self.worker) => {
                Inspected::ForOthers(Box::new(message))
            }
            Ok(message) => Inspected::Playable(Box::new(message)),
            Err(error) => {
                // Batches of other versions of Agon are at other queues.
                warn!("dropped a batch of matches: {}", escape(&error.to_string()));
                Inspected::Useless
            }
        }
    }
}
