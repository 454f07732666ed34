//! The streams that all runs share.

use std::time::Duration;

use agon_queue::Audience;
use anyhow::{Result, anyhow};
use async_nats::jetstream::{
    context::CreateStreamErrorKind,
    stream::{self, DiscardPolicy, RetentionPolicy, StorageType},
};

use super::{
    connection::{Nats, OLD_RESULTS, RESULTS, RUNS},
    jobs::{jobs_of, jobs_subject},
    returns,
};

/// What nobody has fetched is removed after this time.
const OLD: Duration = Duration::from_secs(7 * 24 * 3600);

/// The most bytes of a stream. It refuses more, and the coordinator waits.
const MOST_BYTES: i64 = 512 << 20;

impl Nats {
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
        let jobs = |audience| queue(jobs_of(audience), &jobs_subject(audience, "*", "*", "*"));
        let [jobs, open] = [Audience::Trusted, Audience::Everybody].map(jobs);
        for config in [jobs, open, results, returns::config(), runs] {
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
        self.make_stores().await
    }
}
