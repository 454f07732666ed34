//! The streams that all runs share. Each gets as much room as we want, or its share of what the
//! server has.
//!
//! A server reserves the most bytes of each stream, full or not. By default it has three quarters
//! of the free disk and of the memory to give (`max_file_store`, `max_memory_store`).

use std::time::Duration;

use anyhow::{Result, anyhow};
use async_nats::jetstream::context::{CreateStreamError, CreateStreamErrorKind};
use async_nats::jetstream::stream::{DiscardPolicy, RetentionPolicy, StorageType};
use async_nats::jetstream::{Context, ErrorCode, stream};

use super::connection::{JOBS, Nats, OLD_RESULTS, RESULTS, RUNS};
use super::{blobs::MOST_BOTS, jobs::jobs_subject, results::returns_config};

/// What nobody has fetched is removed after this time.
const OLD: Duration = Duration::from_secs(7 * 24 * 3600);

/// The most bytes of a stream. It refuses more, and the coordinator waits.
const MOST_BYTES: i64 = 512 << 20;

/// The most bytes of the stream of leaders.
const MOST_OF_RUNS: i64 = 16 << 20;

/// The fewest bytes of the stream of replays: a long match should fit.
const FEWEST_OF_RETURNS: i64 = 64 << 20;

/// The fewest bytes that are of use: a message and what the server needs for it.
const FEWEST: i64 = 2 << 20;

/// Why a server refuses a stream that is too large for it.
const LACKS_ROOM: [ErrorCode; 6] = [
    ErrorCode::ACCOUNT_RESOURCES_EXCEEDED,
    ErrorCode::INSUFFICIENT_RESOURCES,
    ErrorCode::MEMORY_RESOURCES_EXCEEDED,
    ErrorCode::STORAGE_RESOURCES_EXCEEDED,
    ErrorCode::STREAM_MAX_STREAM_BYTES_EXCEEDED,
    // "no suitable peers for placement": of several servers, none has the room.
    ErrorCode(10_005),
];

/// A stream, and how much room we want for it.
struct Room {
    /// What is in the stream.
    what: &'static str,
    /// The most bytes that we want.
    wanted: i64,
    info: stream::Info,
}

impl Room {
    /// Returns whether it has less than we want.
    fn is_small(&self) -> bool {
        // Somebody may have made the stream without a limit.
        (1..self.wanted).contains(&self.info.config.max_bytes)
    }

    /// Returns how much room it has and how much we want.
    fn shortage(&self) -> String {
        let [most, wanted] = [self.info.config.max_bytes, self.wanted].map(|bytes| bytes >> 20);
        format!("{most} of {wanted} MiB for {}", self.what)
    }

    /// Asks for so much room; returns whether the server has let it.
    ///
    /// # Errors
    /// If the server does not answer: perhaps these credentials may not do that.
    async fn grow(&mut self, server: &Context, max_bytes: i64) -> Result<bool, CreateStreamError> {
        let config = stream::Config { max_bytes, ..self.info.config.clone() };
        match server.update_stream(&config).await {
            Ok(info) => {
                self.info = info;
                Ok(true)
            }
            Err(error) if matches!(error.kind(), CreateStreamErrorKind::JetStream(_)) => Ok(false),
            Err(error) => Err(error),
        }
    }
}

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
        let small = self.rooms.iter().filter(|room| room.is_small());
        let all: Vec<String> = small.map(Room::shortage).collect();
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
    /// Makes the streams and the store of bots, unless they are there: first small ones, which then
    /// share out the room that the server has.
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
        let mut rooms = Vec::new();
        for (what, config, fewest) in [
            ("leaders", runs, FEWEST),
            ("matches", jobs, FEWEST),
            ("results", results, FEWEST),
            ("replays", returns_config(), FEWEST_OF_RETURNS),
        ] {
            let wanted = config.max_bytes;
            let small = stream::Config { max_bytes: fewest, ..config };
            let make =
                async || Ok(self.context.get_or_create_stream(&small).await?.cached_info().clone());
            rooms.push(Room { what, wanted, info: made(what, make).await? });
        }
        let info = made("bots", async || self.make_store(FEWEST).await).await?;
        let since = format!("{:?}", info.created);
        rooms.push(Room { what: "bots", wanted: MOST_BOTS, info });
        let is_new = |room: &Room| room.info.config.max_bytes <= FEWEST;
        let is_any_new = rooms.iter().any(is_new);
        let mut made = Made { since, rooms };
        if is_any_new {
            self.share_room(&mut made).await;
        }
        Ok(made)
    }

    /// Gives streams that are too small more room, if the server has some: each gets what we want,
    /// or is doubled in turn, until the server has no more.
    pub(crate) async fn share_room(&self, made: &mut Made) {
        let mut growing: Vec<_> = made.rooms.iter_mut().filter(|room| room.is_small()).collect();
        for room in &mut growing {
            if room.grow(&self.context, room.wanted).await.is_err() {
                return;
            }
        }
        while !growing.is_empty() {
            for room in std::mem::take(&mut growing) {
                let twice = room.wanted.min(2 * room.info.config.max_bytes);
                if !room.is_small() {
                    continue;
                }
                match room.grow(&self.context, twice).await {
                    Ok(true) => growing.push(room),
                    Ok(false) => {}
                    Err(_) => return,
                }
            }
        }
    }
}

/// Makes a stream with `make`, which returns what is there.
///
/// # Errors
/// With the remedy, if it cannot be made.
async fn made(what: &str, make: impl AsyncFn() -> Result<stream::Info>) -> Result<stream::Info> {
    let mut made = make().await;
    if made.as_ref().is_err_and(|error| code_of(error) == Some(ErrorCode::STREAM_NAME_EXIST)) {
        // Another coordinator has made it at this moment, and it has grown.
        made = make().await;
    }
    made.map_err(|error| match error.downcast_ref().map(CreateStreamError::kind) {
        Some(CreateStreamErrorKind::JetStreamUnavailable | CreateStreamErrorKind::TimedOut) => {
            anyhow!("the server has no JetStream ({error}); start it with `nats-server -js`")
        }
        _ if code_of(&error).is_some_and(|code| LACKS_ROOM.contains(&code)) => {
            error.context(format!(
                "the server has no room for {what}; free its disk, or give its JetStream more \
                 (max_file_store, max_memory_store)"
            ))
        }
        _ => error.context(format!("the stream of {what} cannot be made")),
    })
}

/// Returns why the server has refused to make a stream.
fn code_of(error: &anyhow::Error) -> Option<ErrorCode> {
    let refused = error.chain().find_map(|cause| cause.downcast_ref::<CreateStreamError>())?;
    match refused.kind() {
        CreateStreamErrorKind::JetStream(said) => Some(said.error_code()),
        _ => None,
    }
}
