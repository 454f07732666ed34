//! Signs checkpoints as the log grows.

use std::time::Duration;

use agon_ladder::ledger::tree::{HEIGHT, WIDTH, above};
use agon_ladder::ledger::{Entry, Head, Signer, open};
use anyhow::{Context, Result, ensure};
use tlog_tiles::tlog::{Hash, tree_hash};
use tokio::{runtime::Handle, task::spawn_blocking, time::sleep};
use tracing::error;

use super::{Keys, Reader, Sealed};
use crate::store::{ledger, now};
use crate::{database::DatabaseError, shared::Shared};

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
fn tiles(
    reader: &Reader,
    level: u8,
    first: u64,
    end: u64,
) -> Result<Vec<crate::database::Statement>> {
    let tile = |number: u64| {
        let hashes = reader.level(level - HEIGHT, number * WIDTH, WIDTH)?;
        ensure!(hashes.len() as u64 == WIDTH, "the log has a gap near tile {number}");
        Ok(ledger::tile(level, number, &above(&hashes).0))
    };
    (first..end).map(tile).collect()
}

/// Returns the name of this server's log; makes it if there is none.
pub(crate) async fn origin(shared: &Shared) -> Result<String> {
    const NAME: &str = "log";
    if let Some(origin) = shared.store.fact(NAME).await? {
        return Ok(origin);
    }
    let origin = format!("agon-ladder/{}", crate::accounts::token::Token::fresh());
    shared.store.set_fact(NAME, origin.clone()).await?;
    Ok(origin)
}
