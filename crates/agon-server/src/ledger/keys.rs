//! The key with which checkpoints are signed: in files that only the server may read.

use std::{fs, io::ErrorKind, path::PathBuf};

use agon_ladder::ledger::Signer;
use anyhow::{Context, Result, ensure};

use crate::durable;

/// The key that signs.
const CURRENT: &str = "log.key";

/// A key that is to follow it.
const NEXT: &str = "next.key";

/// The folder with the keys.
#[derive(Clone, Debug)]
pub(crate) struct Keys(PathBuf);

impl Keys {
    /// Opens the folder; makes it if it is missing.
    ///
    /// # Errors
    /// If it cannot be made.
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
    ///
    /// # Errors
    /// If it cannot be read.
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
    ///
    /// # Errors
    /// If the file cannot be renamed.
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
        let mode =
            |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
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
