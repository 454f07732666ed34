//! Results of a run on the server, and what workers say.

use std::{hash::Hash, time::Duration};

use anyhow::{Result, anyhow};
use async_nats::{
    HeaderMap,
    jetstream::consumer::{AckPolicy, PullConsumer, pull},
};
use futures_util::StreamExt;

use super::{
    connection::{Nats, RESULTS, UNUSED, signature_in},
    delivery::{ACK_WAIT, Delivery},
    identity::{Purpose, Refusal},
};

/// The most results whose acknowledgements are open.
const MOST_PENDING: i64 = 100_000;

/// Where workers say that they live.
pub(crate) const BEATS: &str = "agon.beats";

/// Where coordinators say that there is a new queue of batches.
pub(crate) const QUEUES: &str = "agon.queues";

/// The subject of those who want to know which workers there are.
pub(crate) const ROLL_CALL: &str = "agon.roll-call";

/// What workers or coordinators say about themselves.
pub(crate) struct Beats(async_nats::Subscriber);

/// One of these messages.
pub(crate) struct Said {
    pub(crate) bytes: Vec<u8>,
    headers: Option<HeaderMap>,
}

impl Beats {
    /// Waits for the next one; `None` if the connection is closed.
    pub(crate) async fn next(&mut self) -> Option<Said> {
        let message = self.0.next().await?;
        Some(Said { bytes: message.payload.to_vec(), headers: message.headers })
    }
}

impl Said {
    /// Returns all that was said, with the signature. The same user signs the same bytes in the
    /// same way.
    pub(crate) fn whole(&self) -> impl Hash + '_ {
        (&self.bytes, self.headers.as_ref().and_then(signature_in))
    }
}

/// Results of a run.
pub(crate) struct Results(pull::Stream);

impl Results {
    /// Waits for the next message.
    pub(crate) async fn next(&mut self) -> Option<Result<Delivery>> {
        loop {
            match self.0.next().await?.map(Delivery::of) {
                Ok(Some(delivery)) => return Some(Ok(delivery)),
                // Others than the server can send something, too.
                Ok(None) => {}
                Err(error) => return Some(Err(anyhow!("{error}"))),
            }
        }
    }
}

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
    pub(crate) async fn results(&self, run: &str) -> Result<Results> {
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
        Ok(Results(messages.map_err(|error| anyhow!("{error}"))?))
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

    /// Checks that a worker says that it lives.
    pub(crate) fn check_beat(&self, beat: &Said) -> Result<(), Refusal> {
        self.check(Purpose::Beat, &beat.bytes, beat.headers.as_ref())
    }

    /// Checks that the sender of a message that was right before still counts.
    pub(crate) fn check_again(&self, beat: &Said) -> Result<(), Refusal> {
        self.check_sender(beat.headers.as_ref())
    }

    /// Checks that a worker has sent results of a run.
    pub(crate) fn check_results(&self, run: &str, results: &Delivery) -> Result<(), Refusal> {
        self.check(Purpose::Results { run }, &results.bytes, results.headers())
    }

    /// Checks that a coordinator has published a batch.
    pub(crate) fn check_batch(&self, batch: &Delivery) -> Result<(), Refusal> {
        self.check(Purpose::Batch, &batch.bytes, batch.headers())
    }

    /// Says that there is a new queue of batches.
    pub(crate) async fn announce_queue(&self) -> Result<()> {
        Ok(self.client.publish(QUEUES, Vec::new().into()).await?)
    }

    /// Listens to news of new queues.
    pub(crate) async fn queue_news(&self) -> Result<Beats> {
        Ok(Beats(self.client.subscribe(QUEUES).await?))
    }

    /// Asks all workers to say that they live.
    pub(crate) async fn call_roll(&self) -> Result<()> {
        Ok(self.client.publish(ROLL_CALL, Vec::new().into()).await?)
    }

    /// Listens to those who want to know which workers there are.
    pub(crate) async fn roll_calls(&self) -> Result<Beats> {
        Ok(Beats(self.client.subscribe(ROLL_CALL).await?))
    }

    /// Says how a run stands.
    pub(crate) async fn describe(&self, run: &str, bytes: Vec<u8>) -> Result<()> {
        Ok(self.client.publish(format!("agon.status.{run}"), bytes.into()).await?)
    }

    /// Listens to all coordinators.
    pub(crate) async fn descriptions(&self) -> Result<Beats> {
        Ok(Beats(self.client.subscribe("agon.status.*").await?))
    }

    /// Listens to all workers.
    pub(crate) async fn beats(&self) -> Result<Beats> {
        Ok(Beats(self.client.subscribe(BEATS).await?))
    }
}
