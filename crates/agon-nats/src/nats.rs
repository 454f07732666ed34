//! All that is said to a NATS server: the only file that uses `async-nats`.
//!
//! | on the server | what it holds |
//! | --- | --- |
//! | stream `AGON_JOBS`, `agon.jobs.LANE.CLASS.RUN` | batches of matches; one consumer for each lane and class |
//! | stream `AGON_RESULTS`, `agon.results.RUN` | results; one consumer for each run |
//! | stream `AGON_RUNS`, `agon.runs.RUN` | who leads a run |
//! | object store `agon-blobs` | bots and replays, by digest |
//! | subject `agon.beats` | workers say that they live; nothing is kept |
//!
//! The coordinator makes streams and consumers; workers only use them.

use std::{collections::BTreeMap, path::Path, time::Duration};

use agon_queue::{BatchId, Class, Lane, message::MOST_BYTES as MOST_BYTES_OF_MESSAGE};
use agon_remote::{login_of, without_passwords};
use agon_spec::Digest;
use anyhow::{Context as _, Result, anyhow, bail};
use async_nats::{
    Client, ConnectOptions, Event,
    jetstream::{
        self, AckKind, Context,
        consumer::{AckPolicy, PullConsumer, pull},
        context::{CreateStreamErrorKind, GetStreamErrorKind},
        object_store::{self, ObjectStore},
        stream::{
            self, DiscardPolicy, LastRawMessageErrorKind, RetentionPolicy, StorageType, Stream,
        },
    },
};
use futures_util::StreamExt;
use tokio::{io::AsyncReadExt, sync::mpsc::UnboundedSender, time::timeout};

/// The oldest server: older ones have no metadata of consumers and no several filters.
const OLDEST: (u32, u32) = (2, 10);

/// A delivery without a word is delivered again after this time.
pub(crate) const ACK_WAIT: Duration = Duration::from_secs(12);

/// How often a batch is delivered at most; the coordinator takes it out before.
const MOST_DELIVERIES: i64 = 20;

/// The most batches that workers have at a time, of a lane and class.
const MOST_PENDING: i64 = 100_000;

/// The most requests for batches that wait at a time, of a lane and class.
const MOST_WAITING: i64 = 100_000;

/// A consumer that nobody uses is removed after this time.
const UNUSED: Duration = Duration::from_secs(3 * 24 * 3600);

/// What nobody has fetched is removed after this time.
const OLD: Duration = Duration::from_secs(7 * 24 * 3600);

/// Bots and replays are removed after this time. The coordinator sends bots of a run again.
const OLD_BLOBS: Duration = Duration::from_secs(30 * 24 * 3600);

/// The most bytes of a stream. It refuses more, and the coordinator waits.
const MOST_BYTES: i64 = 512 << 20;

/// The most bytes of a blob.
const MOST_BLOB: usize = 512 << 20;

/// How long a request to the server may take.
const REQUEST: Duration = Duration::from_secs(10);

/// A request without an answer is lost after this time beyond its own.
const LOST: Duration = Duration::from_secs(3);

/// How long a batch waits that a worker gives back because it cannot read it.
const PAUSE: Duration = Duration::from_secs(2);

/// Results that nobody fetches are removed after this time: nobody leads their run any more.
const OLD_RESULTS: Duration = Duration::from_secs(6 * 3600);

/// The header with the name of a batch.
const BATCH: &str = "Agon-Batch";

/// The key of a consumer's metadata that describes its class.
const ABOUT: &str = "agon.class";

const JOBS: &str = "AGON_JOBS";
const RESULTS: &str = "AGON_RESULTS";
const RUNS: &str = "AGON_RUNS";
const BLOBS: &str = "agon-blobs";
const BEATS: &str = "agon.beats";

/// What a blob holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Blob {
    /// The files of a bot.
    Bot,
    /// Results that are too large for a message.
    Result,
}

impl Blob {
    /// Returns its name on the server. Results are removed once they were fetched, bots are not.
    fn name(self, digest: Digest) -> String {
        match self {
            Blob::Bot => format!("bot-{digest}"),
            Blob::Result => format!("result-{digest}"),
        }
    }
}

/// How a connection fares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// It is there, again or at first.
    Up,
    /// It is lost.
    Down(String),
}

/// A connection to a server.
#[derive(Clone)]
pub(crate) struct Nats {
    client: Client,
    context: Context,
}

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

/// A message that must be acknowledged.
pub(crate) struct Delivery {
    pub(crate) bytes: Vec<u8>,
    /// How often it was delivered, from 1.
    pub(crate) delivery: u32,
    message: jetstream::Message,
}

/// Who leads a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Leader {
    /// The number of the message that says so.
    pub(crate) place: u64,
    pub(crate) name: String,
}

impl Nats {
    /// Connects. `line` hears when the connection is lost or there again.
    pub(crate) async fn connect(
        server: &str,
        credentials: Option<&Path>,
        authority: Option<&Path>,
        name: &str,
        line: UnboundedSender<Line>,
    ) -> Result<Nats> {
        let mut options = ConnectOptions::new()
            .name(name)
            .connection_timeout(Duration::from_secs(5))
            .request_timeout(Some(REQUEST))
            .ping_interval(Duration::from_secs(5))
            .client_capacity(4096)
            .subscription_capacity(65_536)
            .event_callback(move |event| {
                let told = match event {
                    Event::Connected => Some(Line::Up),
                    Event::Disconnected => Some(Line::Down("it was closed".to_owned())),
                    _ => None,
                };
                if let Some(told) = told {
                    // Nobody listens any more when the program ends.
                    let _ = line.send(told);
                }
                async {}
            });
        if let Some(path) = credentials {
            options = options
                .credentials_file(path)
                .await
                .with_context(|| format!("the credentials in {}", path.display()))?;
        }
        if let Some(path) = authority {
            options = options.add_root_certificates(path.to_owned());
        }
        if let Some((user, password)) = login_of(server) {
            options = options.user_and_password(user.to_owned(), password.to_owned());
        }
        let shown = without_passwords(server);
        let addresses: Vec<&str> = shown.split(',').collect();
        let client = options.connect(addresses).await.map_err(|error| {
            anyhow!(
                "no NATS server answers at {shown}: {error}; is it running (`nats-server -js`), \
                 and are the credentials right (--credentials FILE)?"
            )
        })?;
        check_version(&client.server_info().version)?;
        let most = client.server_info().max_payload;
        if most < MOST_BYTES_OF_MESSAGE {
            bail!(
                "the NATS server takes messages of {most} bytes, and Agon needs \
                 {MOST_BYTES_OF_MESSAGE}; set max_payload to 1MB"
            );
        }
        let mut context = jetstream::new(client.clone());
        context.set_timeout(REQUEST);
        Ok(Nats { client, context })
    }

    /// Returns the server's version.
    pub(crate) fn version(&self) -> String {
        self.client.server_info().version
    }

    /// Makes the streams and the store of blobs, unless they are there. Returns when the store was
    /// made: after another one, all bots must be stored again.
    pub(crate) async fn make_streams(&self) -> Result<String> {
        let queue = |name: &str, subject: &str| stream::Config {
            name: name.to_owned(),
            subjects: vec![subject.to_owned()],
            retention: RetentionPolicy::WorkQueue,
            // The journal is the truth: what is lost is published again.
            storage: StorageType::Memory,
            discard: DiscardPolicy::New,
            max_bytes: MOST_BYTES,
            max_age: OLD,
            duplicate_window: Duration::from_secs(120),
            ..stream::Config::default()
        };
        let runs = stream::Config {
            name: RUNS.to_owned(),
            subjects: vec!["agon.runs.*".to_owned()],
            max_messages_per_subject: 1,
            max_age: OLD,
            storage: StorageType::File,
            ..stream::Config::default()
        };
        // A result that is lost costs time; one that nobody fetches must not stop others.
        let results = stream::Config {
            discard: DiscardPolicy::Old,
            max_age: OLD_RESULTS,
            ..queue(RESULTS, "agon.results.*")
        };
        for config in [queue(JOBS, "agon.jobs.>"), results, runs] {
            let name = config.name.clone();
            self.context.get_or_create_stream(config).await.map_err(|error| {
                match error.kind() {
                    CreateStreamErrorKind::JetStreamUnavailable
                    | CreateStreamErrorKind::TimedOut => {
                        anyhow!(
                            "the server has no JetStream ({error}); start it with `nats-server -js`"
                        )
                    }
                    _ => anyhow!("the stream {name} cannot be made: {error}"),
                }
            })?;
        }
        if let Some(made) = self.store_was_made().await? {
            return Ok(made);
        }
        {
            let config = object_store::Config {
                bucket: BLOBS.to_owned(),
                max_age: OLD_BLOBS,
                storage: StorageType::File,
                ..object_store::Config::default()
            };
            let made = self.context.create_object_store(config).await;
            made.map_err(|error| anyhow!("the store of bots cannot be made: {error}"))?;
        }
        self.store_was_made().await?.context("the store of bots is gone again")
    }

    /// Returns when the store of blobs was made; `None` if it is not there.
    async fn store_was_made(&self) -> Result<Option<String>> {
        // The server keeps its objects in a stream of this name.
        match self.context.get_stream(format!("OBJ_{BLOBS}")).await {
            Ok(stream) => Ok(Some(format!("{:?}", stream.cached_info().created))),
            Err(error) if matches!(error.kind(), GetStreamErrorKind::JetStream(_)) => Ok(None),
            Err(error) => bail!("the store of bots cannot be reached: {error}"),
        }
    }

    async fn stream(&self, name: &str) -> Result<Stream> {
        self.context.get_stream(name).await.map_err(|error| match error.kind() {
            GetStreamErrorKind::JetStream(_) => anyhow!("the server has no stream {name}"),
            _ => anyhow!("the stream {name} cannot be reached: {error}"),
        })
    }

    /// Makes the consumer of a lane and class, unless it is there.
    pub(crate) async fn make_queue(&self, queue: &Queue) -> Result<()> {
        let Queue { lane, class, about } = queue;
        let name = format!("{}-{class}", lane.name());
        let config = pull::Config {
            durable_name: Some(name.clone()),
            filter_subject: format!("agon.jobs.{}.{class}.*", lane.name()),
            ack_policy: AckPolicy::Explicit,
            ack_wait: ACK_WAIT,
            max_deliver: MOST_DELIVERIES,
            max_ack_pending: MOST_PENDING,
            max_waiting: MOST_WAITING,
            inactive_threshold: UNUSED,
            metadata: [(ABOUT.to_owned(), about.clone())].into(),
            ..pull::Config::default()
        };
        let made = self.stream(JOBS).await?.get_or_create_consumer(&name, config).await;
        made.map(drop).map_err(|error| anyhow!("the consumer {name} cannot be made: {error}"))
    }

    /// Returns all consumers of batches; those that are `known` are not asked for again.
    pub(crate) async fn queues(&self, known: &BTreeMap<String, JobQueue>) -> Result<Vec<JobQueue>> {
        let stream = self.stream(JOBS).await?;
        let mut all = Vec::new();
        let mut found = stream.consumers();
        while let Some(info) = found.next().await {
            let info = info.map_err(|error| anyhow!("consumers cannot be listed: {error}"))?;
            if let Some(queue) = known.get(&info.name) {
                all.push(queue.clone());
                continue;
            }
            let Some(about) = info.config.metadata.get(ABOUT) else { continue };
            let lane = info.name.split('-').next().and_then(|lane| lane.parse().ok());
            let (Some(lane), Ok(class)) = (lane, serde_json::from_str::<Class>(about)) else {
                // Of another version of Agon.
                continue;
            };
            let consumer = stream
                .get_consumer::<pull::Config>(&info.name)
                .await
                .map_err(|error| anyhow!("the consumer {} is gone: {error}", info.name))?;
            all.push(JobQueue { name: info.name, lane, class, consumer });
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
        let subject = format!("agon.jobs.{}.{}.{run}", queue.lane.name(), queue.class);
        let message = jetstream::message::PublishMessage::build()
            .payload(bytes.into())
            .header(BATCH, name_of(run, batch))
            // What is sent again because its acknowledgement was lost is there once.
            .message_id(name_of(run, batch));
        let sent = self.context.send_publish(subject, message).await;
        let taken = sent.map_err(|error| anyhow!("{error}"))?.await;
        Ok(taken.map_err(|error| anyhow!("{error}"))?.sequence)
    }

    /// Publishes results of a run.
    pub(crate) async fn publish_results(&self, run: &str, bytes: Vec<u8>) -> Result<()> {
        let sent = self.context.publish(format!("agon.results.{run}"), bytes.into()).await;
        let taken = sent.map_err(|error| anyhow!("{error}"))?.await;
        taken.map(drop).map_err(|error| anyhow!("{error}"))
    }

    /// Returns whether a batch is still there. An error says nothing about it.
    pub(crate) async fn has_job(&self, run: &str, batch: BatchId, place: u64) -> Result<bool> {
        let stream = match self.context.get_stream(JOBS).await {
            Ok(stream) => stream,
            Err(error) if matches!(error.kind(), GetStreamErrorKind::JetStream(_)) => {
                return Ok(false);
            }
            Err(error) => bail!("{error}"),
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

    /// Removes all that the server has of a run that is over.
    pub(crate) async fn forget_run(&self, run: &str) {
        // What cannot be removed now goes after its time.
        let _ = self.remove_jobs(run).await;
        if let Ok(stream) = self.stream(RESULTS).await {
            let _ = stream.delete_consumer(run).await;
            let _ = stream.purge().filter(format!("agon.results.{run}")).await;
        }
    }

    /// Removes all batches of a run.
    pub(crate) async fn remove_jobs(&self, run: &str) -> Result<()> {
        let purged = self.stream(JOBS).await?.purge().filter(format!("agon.jobs.*.*.{run}")).await;
        purged.map(drop).map_err(|error| anyhow!("old matches cannot be removed: {error}"))
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

    /// Says that a worker lives.
    pub(crate) async fn beat(&self, bytes: Vec<u8>) -> Result<()> {
        self.client.publish(BEATS, bytes.into()).await?;
        // At once: who has a batch must be known even if the worker dies.
        self.client.flush().await?;
        Ok(())
    }

    /// Listens to all workers.
    pub(crate) async fn beats(&self) -> Result<Beats> {
        Ok(Beats(self.client.subscribe(BEATS).await?))
    }

    async fn blobs(&self) -> Result<ObjectStore> {
        let store = self.context.get_object_store(BLOBS).await;
        store.map_err(|error| anyhow!("the store of bots cannot be reached: {error}"))
    }

    /// Keeps a blob, unless it is there.
    pub(crate) async fn put_blob(&self, kind: Blob, digest: Digest, bytes: &[u8]) -> Result<()> {
        let store = self.blobs().await?;
        let name = kind.name(digest);
        if store.info(&name).await.is_ok_and(|info| info.size == bytes.len()) {
            return Ok(());
        }
        let mut from = bytes;
        let put = store.put(name.as_str(), &mut from).await;
        put.map(drop).map_err(|error| anyhow!("a bot cannot be stored: {error}"))
    }

    /// Fetches a blob, and checks it.
    pub(crate) async fn get_blob(&self, kind: Blob, digest: Digest) -> Result<Vec<u8>> {
        let store = self.blobs().await?;
        let name = kind.name(digest);
        let object = store.get(&name).await;
        let mut object = object.map_err(|error| anyhow!("the {name} is missing: {error}"))?;
        let size = object.info().size;
        if size > MOST_BLOB {
            bail!("the {name} has {size} bytes, more than any may have");
        }
        let mut bytes = Vec::with_capacity(size);
        let read = object.read_to_end(&mut bytes);
        timeout(Duration::from_secs(120), read).await.context("it does not come")??;
        if Digest::of(&bytes) != digest {
            bail!("the {name} came damaged");
        }
        Ok(bytes)
    }

    /// Removes a result that was stored, if it is there.
    pub(crate) async fn remove_result(&self, digest: Digest) {
        if let Ok(store) = self.blobs().await {
            // It goes after its time, too.
            let _ = store.delete(Blob::Result.name(digest)).await;
        }
    }

    /// Returns who leads a run.
    pub(crate) async fn leader(&self, run: &str) -> Result<Option<Leader>> {
        let stream = self.stream(RUNS).await?;
        match stream.get_last_raw_message_by_subject(&format!("agon.runs.{run}")).await {
            Ok(found) => {
                let name = String::from_utf8_lossy(&found.payload).into_owned();
                Ok(Some(Leader { place: found.sequence, name }))
            }
            Err(error) if error.kind() == LastRawMessageErrorKind::NoMessageFound => Ok(None),
            Err(error) => bail!("nobody knows who leads this run: {error}"),
        }
    }

    /// Leads a run, if nobody has said anything about it since the message at `place`; 0 if there
    /// was none. Returns the new place; `None` if somebody was faster.
    pub(crate) async fn lead(&self, run: &str, name: &str, place: u64) -> Result<Option<u64>> {
        let message = jetstream::message::PublishMessage::build()
            .payload(name.to_owned().into())
            .expected_last_subject_sequence(place);
        let sent = self.context.send_publish(format!("agon.runs.{run}"), message).await;
        match sent.map_err(|error| anyhow!("{error}"))?.await {
            Ok(taken) => Ok(Some(taken.sequence)),
            Err(error)
                if error.kind() == jetstream::context::PublishErrorKind::WrongLastSequence =>
            {
                Ok(None)
            }
            Err(error) => bail!("{error}"),
        }
    }

    /// Leads a run no more.
    pub(crate) async fn resign(&self, place: u64) {
        if let Ok(stream) = self.stream(RUNS).await {
            // It is over after its time, too.
            let _ = stream.delete_message(place).await;
        }
    }

    /// Says all that was not said yet.
    pub(crate) async fn flush(&self) {
        let _ = timeout(Duration::from_secs(2), self.client.flush()).await;
    }
}

/// What workers say.
pub(crate) struct Beats(async_nats::Subscriber);

impl Beats {
    /// Waits for the next one; `None` if the connection is closed.
    pub(crate) async fn next(&mut self) -> Option<Vec<u8>> {
        Some(self.0.next().await?.payload.to_vec())
    }
}

/// Results of a run.
pub(crate) struct Results(pull::Stream);

impl Results {
    /// Waits for the next message.
    pub(crate) async fn next(&mut self) -> Option<Result<Delivery>> {
        let message = self.0.next().await?;
        Some(message.map_err(|error| anyhow!("{error}")).and_then(Delivery::of))
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

impl Delivery {
    fn of(message: jetstream::Message) -> Result<Delivery> {
        let delivery = message.info().map_err(|error| anyhow!("{error}"))?.delivered;
        let delivery = u32::try_from(delivery).unwrap_or(u32::MAX).max(1);
        Ok(Delivery { bytes: message.payload.to_vec(), delivery, message })
    }

    /// It is over.
    pub(crate) async fn acknowledge(&self) -> Result<()> {
        self.message.ack().await.map_err(|error| anyhow!("{error}"))
    }

    /// It is worked on.
    pub(crate) async fn progress(&self) -> Result<()> {
        self.message.ack_with(AckKind::Progress).await.map_err(|error| anyhow!("{error}"))
    }

    /// Another one should take it.
    pub(crate) async fn give_back(&self) -> Result<()> {
        self.message.ack_with(AckKind::Nak(None)).await.map_err(|error| anyhow!("{error}"))
    }

    /// Another one should take it, but not this one at once again.
    pub(crate) async fn refuse(&self) -> Result<()> {
        let nak = AckKind::Nak(Some(PAUSE));
        self.message.ack_with(nak).await.map_err(|error| anyhow!("{error}"))
    }
}

/// Returns the name of a batch, which no other one has.
fn name_of(run: &str, batch: BatchId) -> String {
    format!("{run}.{batch}")
}

/// Checks that a server is new enough.
fn check_version(version: &str) -> Result<()> {
    let mut parts = version.trim_start_matches('v').split('.').map(|part| part.parse().ok());
    let found = (parts.next().flatten().unwrap_or(0), parts.next().flatten().unwrap_or(0));
    if found < OLDEST {
        let (major, minor) = OLDEST;
        bail!(
            "the NATS server has version {}, and Agon needs {major}.{minor} or newer; \
             https://github.com/nats-io/nats-server/releases has it",
            agon_text::escape(version)
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_servers_are_refused_with_the_remedy() {
        for new in ["2.10.0", "2.15.1", "3.0.0-beta", "v2.11.1"] {
            check_version(new).unwrap();
        }
        for old in ["2.9.10", "1.99.0", "", "x"] {
            let error = check_version(old).unwrap_err().to_string();
            assert!(error.contains("needs 2.10 or newer"), "{error}");
        }
    }
}
