//! Results that are too large for a message: they travel in parts, by their digest.
//!
//! Workers only write here. The store of NATS (`object_store`) would have them read, too, and then
//! the server would publish what they have written at any subject that they name.

use agon_match::spec::Digest;
use anyhow::{Context as _, Result, anyhow, ensure};
use async_nats::jetstream::{
    message::PublishMessage,
    stream::{self, DiscardPolicy, StorageType},
};

use super::connection::{Nats, OLD_RESULTS, RETURNS};

/// The most bytes of a part.
const PART: usize = 512 << 10;

/// The most bytes of all parts. The oldest ones make room for others.
const MOST_BYTES: i64 = 4 << 30;

/// The most parts of a result.
const MOST_PARTS: usize = 1_024;

/// The most bytes of a result.
pub(crate) const MOST_RETURN: usize = PART * MOST_PARTS;

/// The header with the number of parts.
const PARTS: &str = "Agon-Parts";

/// Returns the stream of parts.
pub(super) fn config() -> stream::Config {
    stream::Config {
        name: RETURNS.to_owned(),
        subjects: vec!["agon.returns.*.*".to_owned()],
        max_messages_per_subject: 1,
        // A result that is lost costs time; one that nobody fetches must not stop others.
        discard: DiscardPolicy::Old,
        max_bytes: MOST_BYTES,
        max_age: OLD_RESULTS,
        storage: StorageType::File,
        allow_direct: true,
        ..stream::Config::default()
    }
}

impl Nats {
    /// Keeps a result for the coordinator.
    pub(crate) async fn put_return(&self, digest: Digest, bytes: &[u8]) -> Result<()> {
        let parts = bytes.len().div_ceil(PART);
        ensure!(parts <= MOST_PARTS, "a result of {} bytes is too large", bytes.len());
        for (number, part) in bytes.chunks(PART).enumerate() {
            let message = PublishMessage::build()
                .payload(part.to_vec().into())
                .header(PARTS, parts.to_string().as_str());
            let subject = format!("agon.returns.{digest}.{number}");
            let sent = self.context.send_publish(subject, message).await;
            let taken = sent.map_err(|error| anyhow!("{error}"))?.await;
            taken.map_err(|error| anyhow!("a result cannot be stored: {error}"))?;
        }
        Ok(())
    }

    /// Fetches a result, and checks it.
    pub(crate) async fn get_return(&self, digest: Digest) -> Result<Vec<u8>> {
        let stream = self.stream(RETURNS).await?;
        let mut bytes = Vec::new();
        let mut parts = 1;
        let mut number = 0;
        while number < parts {
            let subject = format!("agon.returns.{digest}.{number}");
            let part = stream.direct_get_last_for_subject(subject).await;
            let part = part.map_err(|error| anyhow!("a part of a result is missing: {error}"))?;
            if number == 0 {
                let said = part.headers.get(PARTS).and_then(|said| said.as_str().parse().ok());
                parts = said.filter(|parts| *parts <= MOST_PARTS).context("no number of parts")?;
            }
            bytes.extend_from_slice(&part.payload);
            number += 1;
        }
        ensure!(Digest::of(&bytes) == digest, "a result came damaged");
        Ok(bytes)
    }

    /// Removes a result, if it is there.
    pub(crate) async fn remove_return(&self, digest: Digest) {
        if let Ok(stream) = self.stream(RETURNS).await {
            // It goes after its time, too.
            let _ = stream.purge().filter(format!("agon.returns.{digest}.*")).await;
        }
    }
}
