//! A folder that all machines see: bots travel through it instead of through the server.

use std::path::Path;

use agon_arena::BlobStore;
use agon_match::spec::Digest;
use anyhow::{Context, Result};
use tokio::task::spawn_blocking;

/// The folder. Reading and writing may wait for the network.
#[derive(Clone)]
pub(crate) struct Share(BlobStore);

impl Share {
    /// Opens the folder of `--bot-store`, if there is one.
    ///
    /// # Errors
    /// If the folder is missing: a network drive may not be mounted.
    pub(crate) fn open(folder: Option<&Path>) -> Result<Option<Share>> {
        let Some(folder) = folder else { return Ok(None) };
        let whose = || format!("--bot-store {}", folder.display());
        folder.read_dir().with_context(whose)?;
        Ok(Some(Share(BlobStore::open(folder).with_context(whose)?)))
    }

    /// Keeps a bot's files, unless they are there.
    pub(crate) async fn put(&self, bytes: Vec<u8>) -> Result<()> {
        let store = self.0.clone();
        spawn_blocking(move || store.put(&bytes)).await??;
        Ok(())
    }

    /// Reads a bot's files, and checks them.
    pub(crate) async fn get(&self, digest: Digest) -> Result<Vec<u8>> {
        let store = self.0.clone();
        Ok(spawn_blocking(move || store.get(digest)).await??)
    }
}
