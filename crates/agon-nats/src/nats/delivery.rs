//! A message of a stream, which must be acknowledged.

use std::{
    hash::{BuildHasher, RandomState},
    time::Duration,
};

use anyhow::{Result, anyhow};
use async_nats::{
    HeaderMap,
    jetstream::{AckKind, Message},
};

/// A delivery without a word is delivered again after this time.
pub(crate) const ACK_WAIT: Duration = Duration::from_secs(12);

/// How long a batch waits, on average, that a worker gives back because it cannot use it.
const PAUSE: Duration = Duration::from_secs(2);

/// How long a batch waits, on average, if the worker had no free slot for it. Meanwhile its
/// coordinator hears that the worker gave it back.
const MOMENT: Duration = Duration::from_millis(200);

/// A message that must be acknowledged.
pub(crate) struct Delivery {
    pub(crate) bytes: Vec<u8>,
    /// How often it was delivered, from 1.
    pub(crate) delivery: u32,
    message: Message,
}

impl Delivery {
    /// Returns a message of a stream; `None` if it is not of one.
    pub(super) fn of(message: Message) -> Option<Delivery> {
        let delivery = message.info().ok()?.delivered;
        let delivery = u32::try_from(delivery).unwrap_or(u32::MAX).max(1);
        Some(Delivery { bytes: message.payload.to_vec(), delivery, message })
    }

    /// Returns the message's headers.
    pub(super) fn headers(&self) -> Option<&HeaderMap> {
        self.message.headers.as_ref()
    }

    /// It is over.
    pub(crate) async fn acknowledge(&self) -> Result<()> {
        self.message.ack().await.map_err(|error| anyhow!("{error}"))
    }

    /// It is of no use to anybody: the server removes it.
    pub(crate) async fn remove(&self) -> Result<()> {
        self.message.ack_with(AckKind::Term).await.map_err(|error| anyhow!("{error}"))
    }

    /// It is worked on.
    pub(crate) async fn progress(&self) -> Result<()> {
        self.message.ack_with(AckKind::Progress).await.map_err(|error| anyhow!("{error}"))
    }

    /// Another one should take it.
    pub(crate) async fn give_back(&self) -> Result<()> {
        self.message.ack_with(AckKind::Nak(None)).await.map_err(|error| anyhow!("{error}"))
    }

    /// It is more than this worker has slots for.
    pub(crate) async fn leave(&self) -> Result<()> {
        self.pause(MOMENT).await
    }

    /// It cannot be used; perhaps another one can.
    pub(crate) async fn refuse(&self) -> Result<()> {
        self.pause(PAUSE).await
    }

    /// It is delivered again, but not at once: after half of this time to one and a half. Two
    /// workers that gave back a batch each at the same moment, for always the same time, would get
    /// the same ones again and again.
    async fn pause(&self, mean: Duration) -> Result<()> {
        let part = RandomState::new().hash_one(self.delivery) as u32;
        let nak =
            AckKind::Nak(Some(mean / 2 + mean.mul_f64(f64::from(part) / f64::from(u32::MAX))));
        self.message.ack_with(nak).await.map_err(|error| anyhow!("{error}"))
    }
}
