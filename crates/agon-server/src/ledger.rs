//! The public log of all that counts, which nobody can rewrite unnoticed (`agon_ladder::ledger`).
//!
//! Checkpoints are signed as the log grows, with a key in files that only the server may read.

use std::path::{Path, PathBuf};
use std::{fs, io::ErrorKind, process::ExitCode, time::Duration};

use agon_ladder::ledger::tree::{HEIGHT, Place, WIDTH, above};
use agon_ladder::ledger::{Entry, Head, Signer, fingerprint, open};
use anyhow::{Context, Result, ensure};
use parking_lot::RwLock;
use tlog_tiles::tlog::{Error, Hash, HashReader, record_hash, tree_hash};
use tokio::{runtime::Handle, task::spawn_blocking, time::sleep};
use tracing::error;

use crate::database::{DatabaseError, Statement};
use crate::store::{Store, Stored, ledger, now};
use crate::{durable, shared::Shared};

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

/// How often the log is looked at: a checkpoint covers what is older.
const EVERY: Duration = Duration::from_millis(500);

/// How long the sealer waits after a failure.
const AGAIN: Duration = Duration::from_secs(5);

/// Levels of the tree, more than any log needs.
const LEVELS: u8 = 56;

/// Tiles that are written at a time.
const TILES: u64 = 500;

/// Signs checkpoints until the server stops.
pub(crate) async fn run(shared: Shared, keys: Keys) {
    let mut sealer = loop {
        let problem = match Sealer::start(&shared, &keys).await {
            Ok(sealer) => break sealer,
            Err(problem) => problem,
        };
        error!("the log is not signed any more: {problem:#}");
        shared.problems.note("log", &format!("{problem:#}"));
        // A database may come back; a log that is not the signed one stays wrong.
        if !problem.is::<DatabaseError>() || shared.is_ending() {
            return;
        }
        sleep(AGAIN).await;
    };
    loop {
        let pause = match sealer.seal().await {
            Ok(()) => EVERY,
            Err(problem) => {
                error!("the log cannot be signed: {problem:#}");
                shared.problems.note("log", &format!("{problem:#}"));
                AGAIN
            }
        };
        if shared.is_ending() {
            return;
        }
        tokio::select! {
            () = sleep(pause) => {}
            // Once more for what came last.
            () = shared.ended() => {}
        }
    }
}

/// What signs.
struct Sealer {
    shared: Shared,
    keys: Keys,
    key: Signer,
}

impl Sealer {
    /// Reads the key, and checks that the log still begins with what was signed last.
    async fn start(shared: &Shared, keys: &Keys) -> Result<Sealer> {
        let origin = origin(shared).await?;
        let last = shared.store.checkpoint().await?;
        let mut key = keys.current(&origin, last.is_some())?;
        if let (Some((_, note)), Some(next)) = (&last, keys.next()?)
            && open(note, next.public()).is_ok()
        {
            // The program ended between the checkpoint and the change of the file.
            keys.advance()?;
            key = next;
        }
        let sealer = Sealer { shared: shared.clone(), keys: keys.clone(), key };
        if let Some((_, note)) = last {
            let head = open(&note, sealer.key.public()).context("the last checkpoint")?;
            let size = shared.store.log_size().await?;
            let is_kept = head.size <= size && sealer.root(head.size).await? == head.root;
            ensure!(
                is_kept,
                "the log in the database is not the one that was signed (it had {} entries); \
                 restore the database from a backup that is not older than the last checkpoint",
                head.size
            );
            sealer.show(head, note);
        }
        Ok(sealer)
    }

    fn show(&self, head: Head, note: String) {
        let key = self.key.public().to_owned();
        self.shared.ledger.set(Sealed { head, note, key });
    }

    /// Signs what is new.
    async fn seal(&mut self) -> Result<()> {
        if let Some(next) = self.keys.next()? {
            return self.change(next).await;
        }
        let size = self.shared.store.log_size().await?;
        if self.shared.ledger.sealed().is_some_and(|sealed| sealed.head.size == size) {
            return Ok(());
        }
        let (head, note) = self.sign(&self.key, size).await?;
        self.show(head, note);
        Ok(())
    }

    /// Signs so many entries with a key, and keeps the checkpoint.
    async fn sign(&self, key: &Signer, size: u64) -> Result<(Head, String)> {
        self.keep_tiles(size).await?;
        let head = Head { origin: key.origin().to_owned(), size, root: self.root(size).await? };
        let note = key.checkpoint(size, head.root);
        self.shared.store.write(ledger::checkpoint(size, &note, now())).await?;
        Ok((head, note))
    }

    /// Has another key sign from now on: the old one says so in the log.
    async fn change(&mut self, next: Signer) -> Result<()> {
        let entry = self.key.successor(&next);
        let size = self.shared.store.log_size().await?;
        let last = self.shared.store.log_entries(size.saturating_sub(1), 1).await?;
        let last = last.first().and_then(|last| Entry::parse(last).ok());
        if !matches!(last, Some(Entry::Key { key, .. }) if key == next.public()) {
            self.shared.store.write(vec![ledger::append(&entry)]).await?;
        }
        let size = self.shared.store.log_size().await?;
        let (head, note) = self.sign(&next, size).await?;
        self.keys.advance()?;
        self.key = next;
        self.show(head, note);
        Ok(())
    }

    async fn root(&self, size: u64) -> Result<Hash> {
        let reader = reader(&self.shared);
        let root = spawn_blocking(move || tree_hash(size, &reader)).await?;
        root.with_context(|| format!("the root over {size} entries of the log"))
    }

    /// Keeps the roots of the tiles that are whole now.
    async fn keep_tiles(&self, size: u64) -> Result<()> {
        let mut below = size;
        for level in (HEIGHT..=LEVELS).step_by(HEIGHT.into()) {
            let whole = below / WIDTH;
            let mut first = self.shared.store.tiles_of(level).await?;
            while first < whole {
                let end = whole.min(first + TILES);
                let reader = reader(&self.shared);
                let tiles = spawn_blocking(move || tiles(&reader, level, first, end)).await??;
                self.shared.store.write(tiles).await?;
                first = end;
            }
            below = whole;
        }
        Ok(())
    }
}

fn reader(shared: &Shared) -> Reader {
    Reader { store: shared.store.clone(), runtime: Handle::current() }
}

/// Returns the statements that keep the roots of tiles.
fn tiles(reader: &Reader, level: u8, first: u64, end: u64) -> Result<Vec<Statement>> {
    let tile = |number: u64| {
        let hashes = reader.level(level - HEIGHT, number * WIDTH, WIDTH)?;
        ensure!(hashes.len() as u64 == WIDTH, "the log has a gap near tile {number}");
        Ok(ledger::tile(level, number, &above(&hashes).0))
    };
    (first..end).map(tile).collect()
}

/// Returns the name of this server's log; makes it if there is none.
async fn origin(shared: &Shared) -> Result<String> {
    const NAME: &str = "log";
    if let Some(origin) = shared.store.fact(NAME).await? {
        return Ok(origin);
    }
    let origin = format!("agon-ladder/{}", crate::accounts::token::Token::fresh());
    shared.store.set_fact(NAME, origin.clone()).await?;
    Ok(origin)
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
