//! Batches of matches on the server: a stream, and its consumers, one for each lane and class. A
//! delivery must be acknowledged.

use std::hash::{BuildHasher, RandomState};
use std::{collections::BTreeMap, time::Duration};

use agon_remote::fleet::{BEAT, BatchId, Class, Lane};
use anyhow::{Result, anyhow, bail};
use async_nats::jetstream::consumer::{AckPolicy, PullConsumer, pull};
use async_nats::jetstream::{AckKind, ErrorCode, Message};
use async_nats::{
    jetstream::context::GetStreamErrorKind, jetstream::message::PublishMessage,
    jetstream::stream::LastRawMessageErrorKind,
};
use clap::ValueEnum;
use futures_util::StreamExt;
use tokio::time::timeout;

use super::connection::{JOBS, Nats, UNUSED};
use super::identity::Purpose;

/// A delivery without a word is delivered again after this time.
pub(super) const ACK_WAIT: Duration = Duration::from_millis(3 * BEAT);

/// How long a batch waits, on average, that a worker gives back because it cannot use it.
pub(crate) const REFUSED: Duration = Duration::from_secs(2);

/// How long a batch waits, on average, if the worker had no free slot for it. Meanwhile its
/// coordinator hears that the worker gave it back.
pub(crate) const MOMENT: Duration = Duration::from_millis(200);

/// The most deliveries of a batch. Its coordinator usually removes it much earlier. The limit is
/// for batches whose coordinator is gone: a match that kills workers must not go on for ever.
const MOST_DELIVERIES: i64 = 200;

/// The most batches that workers have at a time, of a lane and class.
const MOST_PENDING: i64 = 100_000;

/// The most requests for batches that wait at a time, of a lane and class.
const MOST_WAITING: i64 = 100_000;

/// A request without an answer is lost after this time beyond its own.
const LOST: Duration = Duration::from_secs(3);

/// The header with the name of a batch.
const BATCH: &str = "Agon-Batch";

/// The key of a consumer's metadata that describes its class.
const ABOUT: &str = "agon.class";

/// A consumer from which workers take batches of a lane and class.
#[derive(Clone)]
pub(crate) struct JobQueue {
    pub(crate) name: String,
    pub(crate) lane: Lane,
    pub(crate) class: Class,
    consumer: PullConsumer,
}

/// Where batches of a lane and class go.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Queue {
    pub(crate) lane: Lane,
    /// The name of the class.
    pub(crate) class: String,
    /// The class as JSON.
    pub(crate) about: String,
}

/// Returns the subject of batches; each part may be `*`.
pub(crate) fn jobs_subject(lane: &str, class: &str, run: &str) -> String {
    format!("agon.jobs.{lane}.{class}.{run}")
}

impl Nats {
    /// Makes the consumer of a lane and class, unless it is there.
    pub(crate) async fn make_queue(&self, queue: &Queue) -> Result<()> {
        let Queue { lane, class, about } = queue;
        let name = format!("{}-{class}", lane.name());
        let config = pull::Config {
            durable_name: Some(name.clone()),
            filter_subject: jobs_subject(lane.name(), class, "*"),
            ack_policy: AckPolicy::Explicit,
            ack_wait: ACK_WAIT,
            max_deliver: MOST_DELIVERIES,
            max_ack_pending: MOST_PENDING,
            max_waiting: MOST_WAITING,
            inactive_threshold: UNUSED,
            metadata: [(ABOUT.to_owned(), about.clone())].into(),
            ..pull::Config::default()
        };
        let stream = self.stream(JOBS).await?;
        let made = stream.get_or_create_consumer(&name, config).await;
        made.map(drop).map_err(|error| anyhow!("the consumer {name} cannot be made: {error}"))
    }

    /// Returns all consumers of batches that this user may take; those that are `known` are not
    /// asked for again.
    pub(crate) async fn queues(&self, known: &BTreeMap<String, JobQueue>) -> Result<Vec<JobQueue>> {
        let mut all = Vec::new();
        let stream = self.context.get_stream_no_info(JOBS).await?;
        let mut found = stream.consumers();
        while let Some(info) = found.next().await {
            let info = info.map_err(|error| anyhow!("consumers cannot be listed: {error}"))?;
            let name = info.name;
            if let Some(queue) = known.get(&name) {
                all.push(queue.clone());
                continue;
            }
            let Some(about) = info.config.metadata.get(ABOUT) else { continue };
            let lane = name.split('-').next().and_then(|lane| Lane::from_str(lane, false).ok());
            let (Some(lane), Ok(class)) = (lane, serde_json::from_str::<Class>(about)) else {
                // Of another version of Agon.
                continue;
            };
            let consumer = stream
                .get_consumer::<pull::Config>(&name)
                .await
                .map_err(|error| anyhow!("the consumer {name} is gone: {error}"))?;
            all.push(JobQueue { name, lane, class, consumer });
        }
        Ok(all)
    }

    /// Publishes a batch; returns its place.
    pub(crate) async fn publish_jobs(
        &self,
        queue: &Queue,
        run: &str,
        batch: BatchId,
        bytes: Vec<u8>,
    ) -> Result<u64> {
        let Queue { lane, class, .. } = queue;
        let mut headers = self.signed(Purpose::Batch, &bytes);
        headers.insert(BATCH, name_of(run, batch).as_str());
        let message = PublishMessage::build()
            .payload(bytes.into())
            .headers(headers)
            // What is sent again because its acknowledgement was lost is there once.
            .message_id(name_of(run, batch));
        let subject = jobs_subject(lane.name(), class, run);
        let sent = self.context.send_publish(subject, message).await;
        let taken = sent.map_err(|error| anyhow!("{error}"))?.await;
        Ok(taken.map_err(|error| anyhow!("{error}"))?.sequence)
    }

    /// Returns whether a batch is still there. An error says nothing about it.
    pub(crate) async fn has_job(&self, run: &str, batch: BatchId, place: u64) -> Result<bool> {
        let stream = match self.context.get_stream(JOBS).await {
            Ok(stream) => stream,
            Err(error) => match error.kind() {
                GetStreamErrorKind::JetStream(said)
                    if said.error_code() == ErrorCode::STREAM_NOT_FOUND =>
                {
                    return Ok(false);
                }
                // While servers elect a leader, for example.
                _ => bail!("{error}"),
            },
        };
        match stream.get_raw_message(place).await {
            // After the server has forgotten all, numbers begin again: it may be another one.
            Ok(found) => {
                let name = found.headers.get(BATCH).map(|name| name.as_str().to_owned());
                Ok(name == Some(name_of(run, batch)))
            }
            Err(error) if error.kind() == LastRawMessageErrorKind::NoMessageFound => Ok(false),
            Err(error) => bail!("{error}"),
        }
    }

    /// Removes a batch, if it is still there.
    pub(crate) async fn remove_job(&self, run: &str, batch: BatchId, place: u64) {
        if let Ok(true) = self.has_job(run, batch, place).await
            && let Ok(stream) = self.context.get_stream(JOBS).await
        {
            // A worker may have acknowledged it meanwhile.
            let _ = stream.delete_message(place).await;
        }
    }

    /// Removes all batches of a run.
    pub(crate) async fn remove_jobs(&self, run: &str) -> Result<()> {
        let subject = jobs_subject("*", "*", run);
        let purged = self.stream(JOBS).await?.purge().filter(subject).await;
        purged.map(drop).map_err(|error| anyhow!("old matches cannot be removed: {error}"))
    }
}

impl JobQueue {
    /// Asks for batches: those that are there at once, or, if there is none, the next one that
    /// comes in this time. A request that is given up may lose its batches for a while.
    pub(crate) async fn take(
        &self,
        most: u32,
        patience: Option<Duration>,
    ) -> Result<Vec<Delivery>> {
        let fetch = self.consumer.fetch().max_messages(most as usize);
        let mut found = match patience {
            None => fetch.messages().await,
            Some(patience) => {
                self.consumer.batch().max_messages(most as usize).expires(patience).messages().await
            }
        }
        .map_err(|error| anyhow!("{error}"))?;
        let mut all = Vec::new();
        // A request is lost with its connection, and then nobody answers.
        let longest = patience.unwrap_or_default() + LOST;
        while let Ok(Some(message)) = timeout(longest, found.next()).await {
            match message.map(Delivery::of).map_err(|error| anyhow!("{error}")) {
                // Others than the server can send something, too.
                Ok(delivery) => all.extend(delivery),
                // What has come is not lost.
                Err(_) if !all.is_empty() => break,
                Err(error) => return Err(error),
            }
        }
        Ok(all)
    }
}

/// A message of a stream, which must be acknowledged.
pub(crate) struct Delivery {
    pub(crate) message: Message,
    /// How often it was delivered, from 1.
    pub(crate) delivery: u32,
}

impl Delivery {
    /// Returns a message of a stream; `None` if it is not of one.
    pub(super) fn of(message: Message) -> Option<Delivery> {
        let delivery = message.info().ok()?.delivered;
        let delivery = u32::try_from(delivery).unwrap_or(u32::MAX).max(1);
        Some(Delivery { message, delivery })
    }

    async fn tell(&self, kind: AckKind) -> Result<()> {
        self.message.ack_with(kind).await.map_err(|error| anyhow!("{error}"))
    }

    /// It is over.
    pub(crate) async fn acknowledge(&self) -> Result<()> {
        self.tell(AckKind::Ack).await
    }

    /// It is of no use to anybody: the server removes it.
    pub(crate) async fn remove(&self) -> Result<()> {
        self.tell(AckKind::Term).await
    }

    /// It is worked on.
    pub(crate) async fn progress(&self) -> Result<()> {
        self.tell(AckKind::Progress).await
    }

    /// Another one should take it.
    pub(crate) async fn give_back(&self) -> Result<()> {
        self.tell(AckKind::Nak(None)).await
    }

    /// Another one should take it, but not at once: after half of this time to one and a half. Two
    /// workers that gave back a batch each at the same moment, for always the same time, would get
    /// the same ones again and again.
    pub(crate) async fn pause(&self, mean: Duration) -> Result<()> {
        let part = RandomState::new().hash_one(self.delivery) as u32;
        let part = mean.mul_f64(f64::from(part) / f64::from(u32::MAX));
        self.tell(AckKind::Nak(Some(mean / 2 + part))).await
    }
}

/// Returns the name of a batch, which no other one has.
fn name_of(run: &str, batch: BatchId) -> String {
    format!("{run}.{batch}")
}
