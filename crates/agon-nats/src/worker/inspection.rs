//! Looks at a batch before the worker counts it: who has published it, and whether it may be played
//! here.

use std::collections::BTreeSet;

use agon_queue::message::{BatchMessage, read_batch};
use tracing::warn;

use crate::nats::{Delivery, Nats, Refusal};

/// What a batch is for this worker.
pub(super) enum Inspected {
    /// It may play it.
    Playable(Box<BatchMessage>),
    /// Another volunteer must play it.
    ForOthers(Box<BatchMessage>),
    /// Nobody knows whose it is, or what it says. If it can be read, it may be another's.
    Unusable(Option<Box<BatchMessage>>),
}

/// Looks at batches.
pub(super) struct Inspector {
    nats: Nats,
    /// Refusals that were told.
    told: BTreeSet<Refusal>,
}

impl Inspector {
    pub(super) fn new(nats: Nats) -> Inspector {
        Inspector { nats, told: BTreeSet::new() }
    }

    pub(super) fn inspect(&mut self, batch: &Delivery) -> Inspected {
        if let Err(refusal) = self.nats.check_batch(batch) {
            if self.told.insert(refusal) {
                warn!("a batch of matches is not played: {refusal}");
            }
            return Inspected::Unusable(read_batch(&batch.bytes).ok().map(Box::new));
        }
        match read_batch(&batch.bytes) {
            Ok(message) if is_for_others(&message, self.nats.volunteer()) => {
                Inspected::ForOthers(Box::new(message))
            }
            Ok(message) => Inspected::Playable(Box::new(message)),
            Err(error) => {
                // Of another Agon.
                warn!("a batch cannot be used: {}", agon_text::escape(&error.to_string()));
                Inspected::Unusable(None)
            }
        }
    }
}

/// Returns whether a batch avoids this volunteer.
fn is_for_others(batch: &BatchMessage, volunteer: Option<&str>) -> bool {
    volunteer.is_some_and(|name| batch.avoid.iter().any(|avoided| avoided == name))
}
