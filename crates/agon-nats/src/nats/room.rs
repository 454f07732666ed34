//! How much room a stream gets: as much as we want, or its share of what the server has.
//!
//! A server reserves the most bytes of each stream, full or not. By default it has three quarters
//! of the free disk and of the memory to give (`max_file_store`, `max_memory_store`).

use anyhow::{Context as _, Result};
use async_nats::jetstream::{
    Context, ErrorCode,
    context::{CreateStreamError, CreateStreamErrorKind},
    stream,
};

/// The fewest bytes that are of use: a message and what the server needs for it.
pub(super) const FEWEST: i64 = 2 << 20;

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
pub(super) struct Room {
    /// What is in the stream.
    what: &'static str,
    /// The most bytes that we want, and the fewest.
    wanted: i64,
    fewest: i64,
    /// Whether it was made at this moment, with the fewest.
    is_new: bool,
    info: stream::Info,
}

impl Room {
    /// Makes a stream with `make`, which gets the most bytes and returns what is there: with the
    /// wanted bytes or, if the server has less, with the fewest.
    ///
    /// # Errors
    /// If there is not even room for these, or for another reason.
    pub(super) async fn make(
        what: &'static str,
        wanted: i64,
        fewest: i64,
        mut make: impl AsyncFnMut(i64) -> Result<stream::Info>,
    ) -> Result<Room> {
        let mut made = make(wanted).await;
        let is_new = code_of(&made).is_some_and(|code| LACKS_ROOM.contains(&code));
        if is_new {
            made = make(fewest).await.with_context(|| {
                format!(
                    "the server has no room for {what}; free its disk, or give its JetStream \
                     more (max_file_store, max_memory_store)"
                )
            });
        }
        if code_of(&made) == Some(ErrorCode::STREAM_NAME_EXIST) {
            // Another coordinator has made it at this moment, with another limit.
            made = make(wanted).await;
        }
        Ok(Room { what, wanted, fewest, is_new, info: made? })
    }

    /// Returns how much room it has and how much we want, if it has less.
    pub(super) fn shortage(&self) -> Option<String> {
        let most = self.info.config.max_bytes >> 20;
        let wanted = self.wanted >> 20;
        self.is_small().then(|| format!("{most} of {wanted} MiB for {}", self.what))
    }

    /// Returns whether it was made at this moment, with the fewest bytes.
    pub(super) fn is_new(&self) -> bool {
        self.is_new
    }

    /// Returns whether it has less than we want.
    pub(super) fn is_small(&self) -> bool {
        // Somebody may have made the stream without a limit.
        (1..self.wanted).contains(&self.info.config.max_bytes)
    }

    /// Takes the room of an empty stream, so that it can be shared out again.
    async fn shrink(&mut self, server: &Context) -> Result<(), CreateStreamError> {
        self.look(server).await;
        if self.info.state.messages == 0 && self.info.config.max_bytes > self.fewest {
            self.set(server, self.fewest).await?;
        }
        Ok(())
    }

    /// Doubles the room; returns whether the server has let it.
    ///
    /// # Errors
    /// If the server does not answer: perhaps these credentials may not do that.
    async fn double(&mut self, server: &Context) -> Result<bool, CreateStreamError> {
        self.look(server).await;
        if !self.is_small() {
            return Ok(true);
        }
        let twice = self.wanted.min(2 * self.info.config.max_bytes);
        match self.set(server, twice).await {
            Ok(()) => Ok(true),
            Err(error) if matches!(error.kind(), CreateStreamErrorKind::JetStream(_)) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Looks how it is now: another coordinator may have changed it, or use it.
    async fn look(&mut self, server: &Context) {
        if let Ok(stream) = server.get_stream(&self.info.config.name).await {
            self.info = stream.cached_info().clone();
        }
    }

    async fn set(&mut self, server: &Context, max_bytes: i64) -> Result<(), CreateStreamError> {
        let config = stream::Config { max_bytes, ..self.info.config.clone() };
        self.info = server.update_stream(&config).await?;
        Ok(())
    }
}

/// Shares out the room among those that have too little: each is doubled in turn, until the server
/// has no more. If one is new, the room of others that are empty is shared out, too.
pub(super) async fn share_room(server: &Context, rooms: &mut [Room]) {
    if rooms.iter().any(|room| room.is_new && room.is_small()) {
        for room in rooms.iter_mut() {
            room.is_new = false;
            if room.shrink(server).await.is_err() {
                return;
            }
        }
    }
    let mut growing: Vec<_> = rooms.iter_mut().filter(|room| room.is_small()).collect();
    while !growing.is_empty() {
        for room in std::mem::take(&mut growing) {
            match room.double(server).await {
                Ok(true) if room.is_small() => growing.push(room),
                Ok(_) => {}
                Err(_) => return,
            }
        }
    }
}

/// Returns why the server has refused to make a stream.
fn code_of<T>(made: &Result<T>) -> Option<ErrorCode> {
    let mut causes = made.as_ref().err()?.chain();
    let refused = causes.find_map(|cause| cause.downcast_ref::<CreateStreamError>())?;
    match refused.kind() {
        CreateStreamErrorKind::JetStream(said) => Some(said.error_code()),
        _ => None,
    }
}
