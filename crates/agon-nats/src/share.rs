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

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_one_machine_keeps_another_one_finds() {
        let folder = tempfile::tempdir().unwrap();
        let open = || Share::open(Some(folder.path())).unwrap().unwrap();
        open().put(b"a bot".to_vec()).await.unwrap();
        assert_eq!(open().get(Digest::of(b"a bot")).await.unwrap(), b"a bot");
        let missing = open().get(Digest::of(b"another")).await.unwrap_err().to_string();
        assert!(missing.contains("has no blob"), "{missing}");
    }

    #[test]
    fn a_folder_that_is_not_there_is_not_made() {
        assert!(Share::open(None).unwrap().is_none());
        let folder = tempfile::tempdir().unwrap().path().join("mounted");
        let error = format!("{:#}", Share::open(Some(&folder)).err().unwrap());
        assert!(error.contains("--bot-store") && !folder.exists(), "{error}");
    }
}
