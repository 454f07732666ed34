//! Bots on the server: a store (NATS calls it a bucket) of those that only trusted workers may
//! have, and one of public bots. Each bot's files are a blob, by its digest.

use std::time::Duration;

use agon_queue::Audience;
use agon_spec::Digest;
use anyhow::{Context as _, Result, anyhow, ensure};
use async_nats::jetstream::{
    context::GetStreamErrorKind,
    object_store::{self, ObjectStore},
    stream::{StorageType, Stream},
};

use super::{
    connection::Nats,
    room::{FEWEST, Room},
};

/// Bots are removed after this time. The coordinator sends bots of a run again.
const OLD_BLOBS: Duration = Duration::from_secs(30 * 24 * 3600);

/// A blob that was stored before this time is stored anew when somebody needs it.
const AGING: Duration = Duration::from_secs(15 * 24 * 3600);

/// The most bytes of all blobs, if the server has room for them. It takes no more, and the
/// coordinator waits.
const MOST_BYTES: i64 = 4 << 30;

/// The most bytes of a blob.
const MOST_BLOB: usize = 512 << 20;

/// Returns the name of the store of bots that these may have.
fn store_of(audience: Audience) -> &'static str {
    match audience {
        Audience::Trusted => "agon-blobs",
        Audience::Everybody => "agon-public",
    }
}

/// Returns the stream in which the server keeps this store.
pub(crate) fn blobs_of(audience: Audience) -> String {
    format!("OBJ_{}", store_of(audience))
}

fn name_of(digest: Digest) -> String {
    format!("bot-{digest}")
}

impl Nats {
    /// Makes the stores of bots, unless they are there, and adds their room. Returns when they
    /// were made.
    pub(super) async fn make_stores(&self, rooms: &mut Vec<Room>) -> Result<String> {
        let mut since = Vec::new();
        for audience in [Audience::Trusted, Audience::Everybody] {
            let what = match audience {
                Audience::Trusted => "bots",
                Audience::Everybody => "public bots",
            };
            let make = async |max_bytes| {
                let stream = self.make_store(audience, max_bytes).await?;
                let info = stream.cached_info();
                since.push(format!("{:?}", info.created));
                Ok(info.clone())
            };
            rooms.push(Room::make(what, MOST_BYTES, FEWEST, make).await?);
        }
        Ok(since.join(", "))
    }

    /// Returns the stream of a store, which is made if it is not there.
    async fn make_store(&self, audience: Audience, max_bytes: i64) -> Result<Stream> {
        match self.context.get_stream(blobs_of(audience)).await {
            Err(error) if matches!(error.kind(), GetStreamErrorKind::JetStream(_)) => {}
            found => return found.context("the store of bots cannot be reached"),
        }
        let config = object_store::Config {
            bucket: store_of(audience).to_owned(),
            max_age: OLD_BLOBS,
            max_bytes,
            storage: StorageType::File,
            ..object_store::Config::default()
        };
        let made = self.context.create_object_store(config).await;
        made.context("the store of bots cannot be made")?;
        let stream = self.context.get_stream(blobs_of(audience)).await;
        stream.context("the store of bots is gone again")
    }

    async fn store(&self, audience: Audience) -> Result<ObjectStore> {
        let store = self.context.get_object_store(store_of(audience)).await;
        store.map_err(|error| anyhow!("the store of bots cannot be reached: {error}"))
    }

    /// Keeps a bot for these, unless it is there and stays for long enough.
    pub(crate) async fn put_bot(
        &self,
        audience: Audience,
        digest: Digest,
        bytes: &[u8],
    ) -> Result<()> {
        let store = self.store(audience).await?;
        let name = name_of(digest);
        let mut is_there = false;
        if let Ok(info) = store.info(&name).await {
            let stored = info.modified.map(std::time::SystemTime::from);
            // A clock that went back makes it new.
            let age = stored.map(|at| at.elapsed().unwrap_or_default());
            is_there = info.size == bytes.len() && !info.deleted;
            if is_there && age.is_some_and(|age| age < AGING) {
                return Ok(());
            }
        }
        // A blob that does not fit would leave parts of itself.
        if let Ok(stream) = self.context.get_stream(blobs_of(audience)).await {
            let info = stream.cached_info();
            let size = bytes.len() as u64;
            // 0 or less: somebody has set no limit.
            let most = u64::try_from(info.config.max_bytes).unwrap_or_default();
            if most > 0 && info.state.bytes + size > most {
                ensure!(
                    !is_there,
                    "of the server's {} MiB for bots, {} are taken, and it needs {}; free its \
                     disk, give its JetStream more (max_file_store), or use --bot-store",
                    most >> 20,
                    info.state.bytes >> 20,
                    size.div_ceil(1 << 20)
                );
                // Workers can fetch it for some more days.
                return Ok(());
            }
        }
        let mut from = bytes;
        let put = store.put(name.as_str(), &mut from).await;
        put.map(drop).map_err(|error| anyhow!("a bot cannot be stored: {error}"))
    }

    /// Fetches a bot from one of the stores that this user may read, and checks it.
    pub(crate) async fn get_bot(&self, digest: Digest) -> Result<Vec<u8>> {
        let mut problem = anyhow!("the {} is missing", name_of(digest));
        for &audience in self.audiences() {
            match self.get_bot_of(audience, digest).await {
                Ok(bytes) => return Ok(bytes),
                Err(error) => problem = error,
            }
        }
        Err(problem)
    }

    /// Reads a blob part by part. `ObjectStore::get` would make a consumer: a user who may do that
    /// can have the server send messages to others.
    async fn get_bot_of(&self, audience: Audience, digest: Digest) -> Result<Vec<u8>> {
        let name = name_of(digest);
        let info = self.store(audience).await?.info(&name).await;
        let info = info.map_err(|error| anyhow!("the {name} is missing: {error}"))?;
        ensure!(!info.deleted, "the {name} was removed");
        ensure!(
            info.size <= MOST_BLOB,
            "the {name} has {} bytes, more than any may have",
            info.size
        );
        let stream = self.stream(&blobs_of(audience)).await?;
        let subject = format!("$O.{}.C.{}", store_of(audience), info.nuid);
        let mut bytes = Vec::with_capacity(info.size);
        let mut next = 1;
        while bytes.len() < info.size {
            let part = stream.direct_get_next_for_subject(subject.as_str(), Some(next)).await;
            let part = part.map_err(|error| anyhow!("a part of the {name} is missing: {error}"))?;
            ensure!(!part.payload.is_empty(), "a part of the {name} is empty");
            bytes.extend_from_slice(&part.payload);
            next = part.sequence + 1;
        }
        ensure!(Digest::of(&bytes) == digest, "the {name} came damaged");
        Ok(bytes)
    }
}
