//! The public log of all that counts, which nobody can rewrite unnoticed (`agon_ladder::ledger`).
//!
//! Checkpoints are signed as the log grows (`sealer`), with a key in files that only the server may
//! read.

mod sealer;

use std::path::{Path, PathBuf};
use std::{fs, io::ErrorKind, process::ExitCode};

use agon_ladder::ledger::tree::{Place, above};
use agon_ladder::ledger::{Head, Signer, fingerprint};
use anyhow::{Context, Result, ensure};
use parking_lot::RwLock;
use tlog_tiles::tlog::{Error, Hash, HashReader, record_hash};
use tokio::runtime::Handle;

use crate::durable;
use crate::store::{Store, Stored};

pub(crate) use sealer::run;

/// Makes another key for the log of a server's folder.
///
/// # Errors
/// If the folder is no server's, or a key is waiting already.
pub(crate) fn rotate_key(data: &Path) -> Result<ExitCode> {
    let folder = data.join("keys");
    ensure!(folder.is_dir(), "{} is no folder of a ladder server", data.display());
    let next = Keys::open(folder)?.make_next()?;
    crate::logs::say(&format!(
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
        self.0.read().clone()
    }

    fn set(&self, sealed: Sealed) {
        *self.0.write() = Some(sealed);
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

/// The key that signs.
const CURRENT: &str = "log.key";

/// A key that is to follow it.
const NEXT: &str = "next.key";

/// The folder with the keys.
#[derive(Clone, Debug)]
pub(crate) struct Keys(PathBuf);

impl Keys {
    /// Opens the folder; makes it if it is missing.
    pub(crate) fn open(folder: PathBuf) -> Result<Keys> {
        let made = durable::folder(&folder);
        made.with_context(|| format!("the folder {} cannot be made", folder.display()))?;
        Ok(Keys(folder))
    }

    /// Reads the key that signs, or makes the first one.
    ///
    /// # Errors
    /// If it cannot be read, or is missing though the log has entries that it has signed.
    pub(crate) fn current(&self, origin: &str, is_signed: bool) -> Result<Signer> {
        if let Some(key) = self.read(CURRENT)? {
            ensure!(key.origin() == origin, "the key {} is of another ladder", self.shown(CURRENT));
            return Ok(key);
        }
        ensure!(
            !is_signed,
            "the key {} is missing; copy it back from a backup: without it, people who know this \
             ladder would take it for a forged one",
            self.shown(CURRENT)
        );
        let key = Signer::fresh(origin);
        self.write(CURRENT, &key)?;
        Ok(key)
    }

    /// Reads the key that is to follow, if there is one.
    pub(crate) fn next(&self) -> Result<Option<Signer>> {
        self.read(NEXT)
    }

    /// Makes a key that is to follow.
    ///
    /// # Errors
    /// If it cannot be written, there is one already, or none that it could follow.
    pub(crate) fn make_next(&self) -> Result<Signer> {
        let current = self.read(CURRENT)?;
        let current = current.with_context(|| format!("{} is missing", self.shown(CURRENT)))?;
        ensure!(
            self.read(NEXT)?.is_none(),
            "{} waits to be used; start the server once",
            self.shown(NEXT)
        );
        let key = Signer::fresh(current.origin());
        self.write(NEXT, &key)?;
        Ok(key)
    }

    /// Has the key that follows be the one that signs.
    pub(crate) fn advance(&self) -> Result<()> {
        fs::rename(self.0.join(NEXT), self.0.join(CURRENT))
            .and_then(|()| durable::sync(&self.0))
            .with_context(|| format!("the key {}", self.shown(NEXT)))
    }

    fn shown(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }

    fn read(&self, name: &str) -> Result<Option<Signer>> {
        let text = match fs::read_to_string(self.0.join(name)) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => {
                return Err(error).with_context(|| format!("the key {}", self.shown(name)));
            }
        };
        let key = Signer::parse(&text).with_context(|| format!("the key {}", self.shown(name)));
        key.map(Some)
    }

    fn write(&self, name: &str, key: &Signer) -> Result<()> {
        durable::write_new(&self.0.join(name), key.text().as_bytes())
            .with_context(|| format!("the key {} cannot be written", self.shown(name)))
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn keys_are_secret_and_follow_each_other() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys");
        let keys = Keys::open(path.clone()).unwrap();
        let first = keys.current("log", false).unwrap();
        assert_eq!(keys.current("log", true).unwrap().public(), first.public());
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(&path.join("log.key"))), (0o700, 0o600));
        assert!(keys.next().unwrap().is_none());
        let next = keys.make_next().unwrap();
        assert!(keys.make_next().is_err());
        keys.advance().unwrap();
        assert_eq!(keys.current("log", true).unwrap().public(), next.public());
        assert!(keys.current("another", true).is_err());
        fs::remove_file(path.join("log.key")).unwrap();
        let missing = format!("{:#}", keys.current("log", true).err().unwrap());
        assert!(missing.contains("copy it back from a backup"), "{missing}");
        fs::write(path.join("log.key"), "no key").unwrap();
        assert!(keys.current("log", true).is_err());
    }
}
