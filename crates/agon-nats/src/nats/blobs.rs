//! Blobs on the server: the files of bots, and results that are too large for a message.

use std::time::Duration;

use agon_spec::Digest;
use anyhow::{Context as _, Result, anyhow, bail};
use async_nats::jetstream::{
    context::GetStreamErrorKind,
    object_store::{self, ObjectStore},
    stream::StorageType,
};
use tokio::{io::AsyncReadExt, time::timeout};

use super::connection::Nats;

/// Bots and replays are removed after this time. The coordinator sends bots of a run again.
const OLD_BLOBS: Duration = Duration::from_secs(30 * 24 * 3600);

/// A blob that was stored before this time is stored anew when somebody needs it.
const AGING: Duration = Duration::from_secs(15 * 24 * 3600);

/// The most bytes of all blobs. The server takes no more, and the coordinator waits.
const MOST_BYTES: i64 = 4 << 30;

/// The most bytes of a blob.
const MOST_BLOB: usize = 512 << 20;

const BLOBS: &str = "agon-blobs";

/// The stream in which the server keeps them.
pub(crate) const BLOBS_STREAM: &str = "OBJ_agon-blobs";

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

impl Nats {
    /// Makes the store of blobs, unless it is there. Returns when it was made.
    pub(super) async fn make_store(&self) -> Result<String> {
        if let Some(made) = self.store_was_made().await? {
            return Ok(made);
        }
        let config = object_store::Config {
            bucket: BLOBS.to_owned(),
            max_age: OLD_BLOBS,
            max_bytes: MOST_BYTES,
            storage: StorageType::File,
            ..object_store::Config::default()
        };
        let made = self.context.create_object_store(config).await;
        made.map_err(|error| anyhow!("the store of bots cannot be made: {error}"))?;
        self.store_was_made().await?.context("the store of bots is gone again")
    }

    /// Returns when the store of blobs was made; `None` if it is not there.
    async fn store_was_made(&self) -> Result<Option<String>> {
        match self.context.get_stream(BLOBS_STREAM).await {
            Ok(stream) => Ok(Some(format!("{:?}", stream.cached_info().created))),
            Err(error) if matches!(error.kind(), GetStreamErrorKind::JetStream(_)) => Ok(None),
            Err(error) => bail!("the store of bots cannot be reached: {error}"),
        }
    }

    async fn blobs(&self) -> Result<ObjectStore> {
        let store = self.context.get_object_store(BLOBS).await;
        store.map_err(|error| anyhow!("the store of bots cannot be reached: {error}"))
    }

    /// Keeps a blob, unless it is there and stays for long enough.
    pub(crate) async fn put_blob(&self, kind: Blob, digest: Digest, bytes: &[u8]) -> Result<()> {
        let store = self.blobs().await?;
        let name = kind.name(digest);
        if let Ok(info) = store.info(&name).await {
            let stored = info.modified.map(std::time::SystemTime::from);
            // A clock that went back makes it new.
            let age = stored.map(|at| at.elapsed().unwrap_or_default());
            if info.size == bytes.len() && age.is_some_and(|age| age < AGING) {
                return Ok(());
            }
        }
        // A blob that does not fit would leave parts of itself.
        let mut stream = self.context.get_stream(BLOBS_STREAM).await;
        let used = match &mut stream {
            Ok(stream) => stream.cached_info().state.bytes,
            Err(_) => 0,
        };
        if used + bytes.len() as u64 > MOST_BYTES as u64 {
            bail!("the server's store of bots is full ({} GiB)", MOST_BYTES >> 30);
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
}
