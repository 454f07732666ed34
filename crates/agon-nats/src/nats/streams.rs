//! The streams that all runs share.

use std::time::Duration;

use anyhow::{Result, anyhow};
use async_nats::jetstream::{
    context::{CreateStreamError, CreateStreamErrorKind},
    stream::{self, DiscardPolicy, RetentionPolicy, StorageType},
};

use super::{
    connection::{JOBS, Nats, OLD_RESULTS, RESULTS, RUNS},
    jobs::jobs_subject,
    returns,
    room::{FEWEST, Room, share_room},
};

/// What nobody has fetched is removed after this time.
const OLD: Duration = Duration::from_secs(7 * 24 * 3600);

/// The most bytes of a stream. It refuses more, and the coordinator waits.
const MOST_BYTES: i64 = 512 << 20;

/// The most bytes of the stream of leaders.
const MOST_OF_RUNS: i64 = 16 << 20;

/// The fewest bytes of the stream of replays: a long match should fit.
const FEWEST_OF_RETURNS: i64 = 64 << 20;

/// Streams and the store of bots, as they are on the server.
pub(crate) struct Made {
    /// When the store of bots was made: after another time, all bots must be stored again.
    pub(crate) since: String,
    rooms: Vec<Room>,
}

impl Made {
    /// Returns whether streams have less room than we want.
    pub(crate) fn is_small(&self) -> bool {
        self.rooms.iter().any(Room::is_small)
    }

    /// Says which streams have less room than we want, if there are any.
    pub(crate) fn note(&self) -> Option<String> {
        let all: Vec<String> = self.rooms.iter().filter_map(Room::shortage).collect();
        (!all.is_empty()).then(|| {
            format!(
                "the server has little room ({}); for large runs, free its disk, or set \
                 max_file_store and max_memory_store in its configuration",
                all.join(", ")
            )
        })
    }
}

impl Nats {
    /// Makes the streams and the store of bots, unless they are there.
    pub(crate) async fn make_streams(&self) -> Result<Made> {
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
            max_bytes: MOST_OF_RUNS,
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
        let jobs = queue(JOBS, &jobs_subject("*", "*", "*"));
        let mut rooms = vec![
            self.make_stream("leaders", runs, FEWEST).await?,
            self.make_stream("matches", jobs, FEWEST).await?,
            self.make_stream("results", results, FEWEST).await?,
            self.make_stream("replays", returns::config(), FEWEST_OF_RETURNS).await?,
        ];
        let since = self.make_store(&mut rooms).await?;
        let mut made = Made { since, rooms };
        if made.rooms.iter().any(Room::is_new) {
            self.share_room(&mut made).await;
        }
        Ok(made)
    }

    /// Gives streams that are too small more room, if the server has some by now.
    pub(crate) async fn share_room(&self, made: &mut Made) {
        share_room(&self.context, &mut made.rooms).await;
    }

    async fn make_stream(
        &self,
        what: &'static str,
        config: stream::Config,
        fewest: i64,
    ) -> Result<Room> {
        let make = async |max_bytes| {
            let config = stream::Config { max_bytes, ..config.clone() };
            let made = self.context.get_or_create_stream(config).await?;
            Ok(made.cached_info().clone())
        };
        Room::make(what, config.max_bytes, fewest, make).await.map_err(|error| {
            match error.downcast_ref().map(CreateStreamError::kind) {
                Some(
                    CreateStreamErrorKind::JetStreamUnavailable | CreateStreamErrorKind::TimedOut,
                ) => anyhow!(
                    "the server has no JetStream ({error}); start it with `nats-server -js`"
                ),
                _ => error.context(format!("the stream {} cannot be made", config.name)),
            }
        })
    }
}
