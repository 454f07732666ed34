//! The public log of all that counts, which nobody can rewrite unnoticed (`agon_ladder::ledger`).
//!
//! | module | contents |
//! | --- | --- |
//! | `keys` | the key with which checkpoints are signed |
//! | `sealer` | signs checkpoints as the log grows |

mod keys;
mod sealer;

use std::{
    path::Path,
    process::ExitCode,
    sync::{PoisonError, RwLock},
};

use agon_ladder::ledger::{
    Head, fingerprint,
    tree::{Place, above},
};
use anyhow::{Result, ensure};
use tlog_tiles::tlog::{Error, Hash, HashReader, record_hash};
use tokio::runtime::Handle;

pub(crate) use keys::Keys;
pub(crate) use sealer::run;

use crate::store::{Store, Stored};

/// Makes another key for the log of a server's folder.
///
/// # Errors
/// If the folder is no server's, or a key is waiting already.
pub(crate) fn rotate_key(data: &Path) -> Result<ExitCode> {
    let folder = data.join("keys");
    ensure!(folder.is_dir(), "{} is no folder of a ladder server", data.display());
    let next = Keys::open(folder)?.make_next()?;
    crate::talk::say(&format!(
        "the next key is {}; a server with this folder signs with it within a second",
        fingerprint(next.public())
    ));
    Ok(ExitCode::SUCCESS)
}

/// The last checkpoint, for requests.
#[derive(Debug, Default)]
pub(crate) struct Ledger(RwLock<Option<Sealed>>);

/// A signed checkpoint.
#[derive(Clone, Debug)]
pub(crate) struct Sealed {
    pub(crate) head: Head,
    /// The signed note.
    pub(crate) note: String,
    /// The key with which others verify it.
    pub(crate) key: String,
}

impl Ledger {
    /// Returns the last checkpoint; `None` in the first moments.
    pub(crate) fn sealed(&self) -> Option<Sealed> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set(&self, sealed: Sealed) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Some(sealed);
    }
}

/// Reads hashes of the tree. It waits for the database, so it is for threads that may wait.
pub(crate) struct Reader {
    pub(crate) store: Store,
    pub(crate) runtime: Handle,
}

impl Reader {
    /// Returns hashes of one level: of entries, or roots of whole tiles.
    pub(crate) fn level(&self, level: u8, first: u64, count: u64) -> Stored<Vec<Hash>> {
        if level == 0 {
            let entries = self.runtime.block_on(self.store.log_entries(first, count))?;
            return Ok(entries.iter().map(|entry| record_hash(entry.as_bytes())).collect());
        }
        let hashes = self.runtime.block_on(self.store.log_tiles(level, first, count))?;
        Ok(hashes.into_iter().filter_map(|hash| Some(Hash(hash.try_into().ok()?))).collect())
    }
}

impl HashReader for Reader {
    fn read_hashes(&self, indexes: &[u64]) -> std::result::Result<Vec<Hash>, Error> {
        let hash = |&index: &u64| {
            let Place { level, first, count } = Place::of(index);
            let hashes = self.level(level, first, count);
            // It has no better kind of error for why the database fails.
            let hashes = hashes.map_err(|error| Error::InvalidInput(error.to_string()))?;
            match hashes.len() as u64 == count {
                true => Ok(above(&hashes)),
                false => Err(Error::IndexesNotInTree),
            }
        };
        indexes.iter().map(hash).collect()
    }
}
