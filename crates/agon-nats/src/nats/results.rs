//! Results of a run on the server, and what workers and coordinators say about themselves.
//!
//! Results that are too large for a message travel in parts, by their digest. Workers only write
//! there. The store of NATS (`object_store`) would have them read, too, and then the server would
//! publish what they have written at any subject that they name.

use std::time::Duration;

use agon_match::spec::Digest;
use anyhow::{Context as _, Result, anyhow, ensure};
use async_nats::jetstream::consumer::{AckPolicy, PullConsumer, pull};
use async_nats::jetstream::stream::{self, DiscardPolicy, StorageType};
use async_nats::{Subscriber, jetstream::message::PublishMessage};
use futures_util::{Stream, StreamExt};

use super::connection::{Nats, OLD_RESULTS, RESULTS, RETURNS, UNUSED};
use super::identity::Purpose;
use super::jobs::{ACK_WAIT, Delivery};

/// The most bytes of a part of a result.
const PART: usize = 512 << 10;

/// The most bytes of all parts. The oldest ones make room for others.
const MOST_BYTES: i64 = 4 << 30;

/// The most parts of a result.
const MOST_PARTS: usize = 1_024;

/// The most bytes of a result.
pub(crate) const MOST_RETURN: usize = PART * MOST_PARTS;

/// The header with the number of parts.
const PARTS: &str = "Agon-Parts";

/// The most results whose acknowledgements are open.
const MOST_PENDING: i64 = 100_000;

/// Where workers say that they live.
pub(crate) const BEATS: &str = "agon.beats";

/// Where coordinators say that there is a new queue of batches.
pub(crate) const QUEUES: &str = "agon.queues";

/// The subject of those who want to know which workers there are.
pub(crate) const ROLL_CALL: &str = "agon.roll-call";

/// Where coordinators say how their runs stand.
pub(crate) const STATUS: &str = "agon.status.*";

impl Nats {
    /// Publishes results of a run.
    pub(crate) async fn publish_results(&self, run: &str, bytes: Vec<u8>) -> Result<()> {
        let headers = self.signed(Purpose::Results { run }, &bytes);
        let subject = format!("agon.results.{run}");
        let sent = self.context.publish_with_headers(subject, headers, bytes.into()).await;
        let taken = sent.map_err(|error| anyhow!("{error}"))?.await;
        taken.map(drop).map_err(|error| anyhow!("{error}"))
    }

    /// Returns the results of a run, as they come. Their consumer is made if it is missing.
    pub(crate) async fn results(
        &self,
        run: &str,
    ) -> Result<impl Stream<Item = Result<Delivery>> + use<>> {
        let config = pull::Config {
            durable_name: Some(run.to_owned()),
            filter_subject: format!("agon.results.{run}"),
            ack_policy: AckPolicy::Explicit,
            ack_wait: ACK_WAIT,
            max_ack_pending: MOST_PENDING,
            inactive_threshold: UNUSED,
            ..pull::Config::default()
        };
        let made = self.stream(RESULTS).await?.get_or_create_consumer(run, config).await;
        let consumer: PullConsumer =
            made.map_err(|error| anyhow!("the consumer of results cannot be made: {error}"))?;
        let messages = consumer
            .stream()
            .max_messages_per_batch(128)
            .expires(Duration::from_secs(20))
            .heartbeat(Duration::from_secs(5))
            .messages()
            .await;
        let deliveries = messages.map_err(|error| anyhow!("{error}"))?.map(|message| {
            // Others than the server can send something, too.
            message.map(Delivery::of).map_err(|error| anyhow!("{error}")).transpose()
        });
        Ok(deliveries.filter_map(std::future::ready))
    }

    /// Removes all that the server has of a run that is over.
    pub(crate) async fn forget_run(&self, run: &str) {
        // What cannot be removed now goes after its time.
        let _ = self.remove_jobs(run).await;
        if let Ok(stream) = self.stream(RESULTS).await {
            let _ = stream.delete_consumer(run).await;
            let _ = stream.purge().filter(format!("agon.results.{run}")).await;
        }
    }

    /// Says that a worker lives.
    pub(crate) async fn beat(&self, bytes: Vec<u8>) -> Result<()> {
        let headers = self.signed(Purpose::Beat, &bytes);
        self.client.publish_with_headers(BEATS, headers, bytes.into()).await?;
        // At once: who has a batch must be known even if the worker dies.
        self.client.flush().await?;
        Ok(())
    }

    /// Says something without words to all who listen: that there is a new queue of batches, or
    /// that workers shall say that they live.
    pub(crate) async fn call(&self, subject: &'static str) -> Result<()> {
        Ok(self.client.publish(subject, Vec::new().into()).await?)
    }

    /// Listens to all who say something at a subject.
    pub(crate) async fn listen(&self, subject: &'static str) -> Result<Subscriber> {
        Ok(self.client.subscribe(subject).await?)
    }

    /// Says how a run stands.
    pub(crate) async fn describe(&self, run: &str, bytes: Vec<u8>) -> Result<()> {
        Ok(self.client.publish(format!("agon.status.{run}"), bytes.into()).await?)
    }

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

/// Returns the stream of parts.
pub(super) fn returns_config() -> stream::Config {
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
