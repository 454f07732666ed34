//! Batches of matches on the server: a stream for trusted workers, one that is open to everybody,
//! and their consumers, one for each lane and class.

use std::{collections::BTreeMap, time::Duration};

use agon_queue::{Audience, BatchId, Class, Lane};
use anyhow::{Result, anyhow, bail};
use async_nats::jetstream::{
    ErrorCode,
    consumer::{AckPolicy, PullConsumer, pull},
    context::GetStreamErrorKind,
    message::PublishMessage,
    stream::LastRawMessageErrorKind,
};
use futures_util::StreamExt;
use tokio::time::timeout;

use super::{
    connection::{JOBS, Nats, OPEN, UNUSED},
    delivery::{ACK_WAIT, Delivery},
    identity::Purpose,
};

/// The most deliveries of a batch. Its coordinator usually removes it much earlier. The limit is
/// for batches whose coordinator is gone: a match that kills workers must not go on for ever.
const MOST_DELIVERIES: i64 = 200;

/// The same for the open stream: a volunteer that waits passes on what it must not play, about once
/// a second.
const MOST_OPEN_DELIVERIES: i64 = 100_000;

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

/// Whose stream it is, and the name of the consumer there.
pub(crate) type QueueName = (Audience, String);

/// A consumer from which workers take batches of a lane and class.
#[derive(Clone)]
pub(crate) struct JobQueue {
    pub(crate) name: QueueName,
    pub(crate) lane: Lane,
    pub(crate) class: Class,
    consumer: PullConsumer,
}

/// Where batches of a lane and class go.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Queue {
    pub(crate) audience: Audience,
    pub(crate) lane: Lane,
    /// The name of the class.
    pub(crate) class: String,
    /// The class as JSON.
    pub(crate) about: String,
}

/// Where a batch is: its number in the stream, and a bit that says which stream that is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    audience: Audience,
    number: u64,
}

impl Place {
    fn of(place: u64) -> Place {
        let audience = if place & 1 == 1 { Audience::Everybody } else { Audience::Trusted };
        Place { audience, number: place >> 1 }
    }

    fn code(self) -> u64 {
        self.number << 1 | u64::from(self.audience == Audience::Everybody)
    }
}

/// Returns the stream of batches that these may have.
pub(crate) fn jobs_of(audience: Audience) -> &'static str {
    match audience {
        Audience::Trusted => JOBS,
        Audience::Everybody => OPEN,
    }
}

/// Returns the subject of batches; each part may be `*`.
pub(crate) fn jobs_subject(audience: Audience, lane: &str, class: &str, run: &str) -> String {
    let kind = match audience {
        Audience::Trusted => "jobs",
        Audience::Everybody => "open",
    };
    format!("agon.{kind}.{lane}.{class}.{run}")
}

impl Nats {
    /// Makes the consumer of a lane and class, unless it is there.
    pub(crate) async fn make_queue(&self, queue: &Queue) -> Result<()> {
        let Queue { audience, lane, class, about } = queue;
        let name = format!("{}-{class}", lane.name());
        let config = pull::Config {
            durable_name: Some(name.clone()),
            filter_subject: jobs_subject(*audience, lane.name(), class, "*"),
            ack_policy: AckPolicy::Explicit,
            ack_wait: ACK_WAIT,
            max_deliver: match audience {
                Audience::Trusted => MOST_DELIVERIES,
                Audience::Everybody => MOST_OPEN_DELIVERIES,
            },
            max_ack_pending: MOST_PENDING,
            max_waiting: MOST_WAITING,
            inactive_threshold: UNUSED,
            metadata: [(ABOUT.to_owned(), about.clone())].into(),
            ..pull::Config::default()
        };
        let stream = self.stream(jobs_of(*audience)).await?;
        let made = stream.get_or_create_consumer(&name, config).await;
        made.map(drop).map_err(|error| anyhow!("the consumer {name} cannot be made: {error}"))
    }

    /// Returns all consumers of batches that this user may take; those that are `known` are not
    /// asked for again.
    pub(crate) async fn queues(
        &self,
        known: &BTreeMap<QueueName, JobQueue>,
    ) -> Result<Vec<JobQueue>> {
        let mut all = Vec::new();
        for &audience in self.audiences() {
            self.queues_of(audience, known, &mut all).await?;
        }
        Ok(all)
    }

    async fn queues_of(
        &self,
        audience: Audience,
        known: &BTreeMap<QueueName, JobQueue>,
        all: &mut Vec<JobQueue>,
    ) -> Result<()> {
        let stream = self.context.get_stream_no_info(jobs_of(audience)).await?;
        let mut found = stream.consumers();
        while let Some(info) = found.next().await {
            let info = info.map_err(|error| anyhow!("consumers cannot be listed: {error}"))?;
            let name = (audience, info.name);
            if let Some(queue) = known.get(&name) {
                all.push(queue.clone());
                continue;
            }
            let Some(about) = info.config.metadata.get(ABOUT) else { continue };
            let lane = name.1.split('-').next().and_then(|lane| lane.parse().ok());
            let (Some(lane), Ok(class)) = (lane, serde_json::from_str::<Class>(about)) else {
                // Of another version of Agon.
                continue;
            };
            let consumer = stream
                .get_consumer::<pull::Config>(&name.1)
                .await
                .map_err(|error| anyhow!("the consumer {} is gone: {error}", name.1))?;
            all.push(JobQueue { name, lane, class, consumer });
        }
        Ok(())
    }

    /// Publishes a batch; returns its place.
    pub(crate) async fn publish_jobs(
        &self,
        queue: &Queue,
        run: &str,
        batch: BatchId,
        bytes: Vec<u8>,
    ) -> Result<u64> {
        let Queue { audience, lane, class, .. } = queue;
        let mut headers = self.signed(Purpose::Batch, &bytes);
        headers.insert(BATCH, name_of(run, batch).as_str());
        let message = PublishMessage::build()
            .payload(bytes.into())
            .headers(headers)
            // What is sent again because its acknowledgement was lost is there once.
            .message_id(name_of(run, batch));
        let subject = jobs_subject(*audience, lane.name(), class, run);
        let sent = self.context.send_publish(subject, message).await;
        let taken = sent.map_err(|error| anyhow!("{error}"))?.await;
        let number = taken.map_err(|error| anyhow!("{error}"))?.sequence;
        Ok(Place { audience: *audience, number }.code())
    }

    /// Returns whether a batch is still there. An error says nothing about it.
    pub(crate) async fn has_job(&self, run: &str, batch: BatchId, place: u64) -> Result<bool> {
        let Place { audience, number } = Place::of(place);
        let stream = match self.context.get_stream(jobs_of(audience)).await {
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
        match stream.get_raw_message(number).await {
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
        let Place { audience, number } = Place::of(place);
        if let Ok(true) = self.has_job(run, batch, place).await
            && let Ok(stream) = self.context.get_stream(jobs_of(audience)).await
        {
            // A worker may have acknowledged it meanwhile.
            let _ = stream.delete_message(number).await;
        }
    }

    /// Removes all batches of a run.
    pub(crate) async fn remove_jobs(&self, run: &str) -> Result<()> {
        for audience in [Audience::Trusted, Audience::Everybody] {
            let subject = jobs_subject(audience, "*", "*", run);
            let purged = self.stream(jobs_of(audience)).await?.purge().filter(subject).await;
            purged.map_err(|error| anyhow!("old matches cannot be removed: {error}"))?;
        }
        Ok(())
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
            match message.map_err(|error| anyhow!("{error}")).and_then(Delivery::of) {
                Ok(delivery) => all.push(delivery),
                // What has come is not lost.
                Err(_) if !all.is_empty() => break,
                Err(error) => return Err(error),
            }
        }
        Ok(all)
    }
}

/// Returns the name of a batch, which no other one has.
fn name_of(run: &str, batch: BatchId) -> String {
    format!("{run}.{batch}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_says_which_stream_it_is_of() {
        for audience in [Audience::Trusted, Audience::Everybody] {
            for number in [0, 1, 7, u64::MAX >> 1] {
                let place = Place { audience, number };
                assert_eq!(Place::of(place.code()), place);
            }
        }
    }
}
