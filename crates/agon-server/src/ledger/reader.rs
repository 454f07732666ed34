//! Hashes of the log's tree, from the database.

use agon_ladder::ledger::tree::{Place, above};
use tlog_tiles::tlog::{Error, Hash, HashReader, record_hash};
use tokio::runtime::Handle;

use crate::store::{Store, Stored};

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
    fn read_hashes(&self, indexes: &[u64]) -> Result<Vec<Hash>, Error> {
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
