//! Bots on the server: a store (NATS calls it a bucket). Each bot's files are a blob, by its
//! digest.

use std::time::Duration;

use agon_match::spec::Digest;
use anyhow::{Context as _, Result, anyhow, ensure};
use async_nats::jetstream::context::GetStreamErrorKind;
use async_nats::jetstream::object_store::{self, ObjectStore};
use async_nats::jetstream::stream::{Info, StorageType};

use super::connection::Nats;

/// Bots are removed after this time. The coordinator sends bots of a run again.
const OLD_BLOBS: Duration = Duration::from_secs(30 * 24 * 3600);

/// A blob that was stored before this time is stored anew when somebody needs it.
const AGING: Duration = Duration::from_secs(15 * 24 * 3600);

/// The most bytes of all blobs, if the server has room for them. It takes no more, and the
/// coordinator waits.
pub(super) const MOST_BOTS: i64 = 4 << 30;

/// The most bytes of a blob.
const MOST_BLOB: usize = 512 << 20;

/// The store of bots.
const STORE: &str = "agon-blobs";

/// The stream in which the server keeps it.
pub(crate) const BLOBS: &str = "OBJ_agon-blobs";

fn name_of(digest: Digest) -> String {
    format!("bot-{digest}")
}

impl Nats {
    /// Makes the store of bots, unless it is there.
    pub(super) async fn make_store(&self, max_bytes: i64) -> Result<Info> {
        match self.context.get_stream(BLOBS).await {
            Err(error) if matches!(error.kind(), GetStreamErrorKind::JetStream(_)) => {}
            found => {
                let found = found.context("the store of bots cannot be reached")?;
                return Ok(found.cached_info().clone());
            }
        }
        let config = object_store::Config {
            bucket: STORE.to_owned(),
            max_age: OLD_BLOBS,
            max_bytes,
            storage: StorageType::File,
            ..object_store::Config::default()
        };
        self.context.create_object_store(config).await?;
        let stream = self.context.get_stream(BLOBS).await;
        Ok(stream.context("the store of bots is gone again")?.cached_info().clone())
    }

    async fn store(&self) -> Result<ObjectStore> {
        let store = self.context.get_object_store(STORE).await;
        store.map_err(|error| anyhow!("the store of bots cannot be reached: {error}"))
    }

    /// Keeps a bot, unless it is there and stays for long enough.
    pub(crate) async fn put_bot(&self, digest: Digest, bytes: &[u8]) -> Result<()> {
        let store = self.store().await?;
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
        if let Ok(stream) = self.context.get_stream(BLOBS).await {
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

    /// Fetches a bot, and checks it.
    ///
    /// It is read part by part. `ObjectStore::get` would make a consumer: a user who may do that
    /// can have the server send messages to others.
    pub(crate) async fn get_bot(&self, digest: Digest) -> Result<Vec<u8>> {
        let name = name_of(digest);
        let info = self.store().await?.info(&name).await;
        let info = info.map_err(|error| anyhow!("the {name} is missing: {error}"))?;
        ensure!(!info.deleted, "the {name} was removed");
        ensure!(
            info.size <= MOST_BLOB,
            "the {name} has {} bytes, more than any may have",
            info.size
        );
        let stream = self.stream(BLOBS).await?;
        let subject = format!("$O.{STORE}.C.{}", info.nuid);
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
