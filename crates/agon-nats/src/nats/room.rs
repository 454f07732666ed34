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

/// The fewest bytes that are of use: a message.
const FEWEST: i64 = 1 << 20;

/// A stream, and how much room we want for it.
pub(super) struct Room {
    /// What is in the stream.
    what: &'static str,
    /// The most bytes that we want; 0 if it has no limit.
    wanted: i64,
    config: stream::Config,
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
        mut make: impl AsyncFnMut(i64) -> Result<stream::Config>,
    ) -> Result<Room> {
        let config = match make(wanted).await {
            Err(error) if lacks_room(&error) => make(FEWEST).await.with_context(|| {
                format!(
                    "the server has no room for {what}; free its disk, or give its JetStream \
                     more (max_file_store, max_memory_store)"
                )
            }),
            made => made,
        };
        Ok(Room { what, wanted, config: config? })
    }

    /// Says that the server has less room than we want, if so.
    pub(super) fn note(&self) -> Option<String> {
        self.is_small().then(|| {
            format!(
                "the server has room for {} MiB of {}, not for {}; free its disk, or set \
                 max_file_store and max_memory_store in its configuration",
                self.config.max_bytes >> 20,
                self.what,
                self.wanted >> 20
            )
        })
    }

    fn is_small(&self) -> bool {
        // Somebody may have made the stream without a limit.
        (1..self.wanted).contains(&self.config.max_bytes)
    }

    /// Doubles the room, unless the server refuses. Returns whether it did.
    async fn double(&mut self, server: &Context) -> bool {
        let max_bytes = self.wanted.min(2 * self.config.max_bytes);
        let larger = stream::Config { max_bytes, ..self.config.clone() };
        let done = server.update_stream(&larger).await.is_ok();
        if done {
            self.config = larger;
        }
        done
    }
}

/// Doubles the room of those that have too little, in turn, until the server has no more: so all
/// get about the same.
pub(super) async fn share_room(server: &Context, rooms: &mut [Room]) {
    let mut growing: Vec<_> = rooms.iter_mut().filter(|room| room.is_small()).collect();
    while !growing.is_empty() {
        for room in std::mem::take(&mut growing) {
            if room.double(server).await && room.is_small() {
                growing.push(room);
            }
        }
    }
}

fn lacks_room(error: &anyhow::Error) -> bool {
    let refused = error.chain().find_map(|cause| cause.downcast_ref::<CreateStreamError>());
    let Some(CreateStreamErrorKind::JetStream(said)) = refused.map(CreateStreamError::kind) else {
        return false;
    };
    [
        ErrorCode::ACCOUNT_RESOURCES_EXCEEDED,
        // With several servers: none of them has the room.
        NO_PEERS,
        ErrorCode::INSUFFICIENT_RESOURCES,
        ErrorCode::MEMORY_RESOURCES_EXCEEDED,
        ErrorCode::STORAGE_RESOURCES_EXCEEDED,
    ]
    .contains(&said.error_code())
}

/// "no suitable peers for placement"
const NO_PEERS: ErrorCode = ErrorCode(10_005);
