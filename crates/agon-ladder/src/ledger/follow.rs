//! Checks that a log only grew since it was last seen.

use serde::{Deserialize, Serialize};
use thiserror::Error;
use tlog_tiles::tlog::Hash;

use crate::ledger::{
    ConsistencyError, Entry, Head, NoteError, Source, SourceError, check_consistency, note,
    tree::{TilePath, WIDTH, unbundle},
};

/// The most tiles in which a new key is looked for.
const TILES: u64 = 100_000;

/// What is remembered of a log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remembered {
    /// The key with which its checkpoints are verified.
    pub key: String,
    /// How many entries it had.
    pub size: u64,
    /// The root of the tree over them, in base64.
    pub root: String,
}

/// Why a log is not accepted.
#[derive(Debug, Error)]
pub enum FollowError {
    /// Something cannot be read.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The checkpoint or a key is not good.
    #[error(transparent)]
    Note(#[from] NoteError),
    /// The log is not the one that it was.
    #[error(transparent)]
    Consistency(#[from] ConsistencyError),
    /// A tile is damaged, or does not belong to the checkpoint.
    #[error("the entries that the server sends are not those of its checkpoint")]
    Entries,
    /// What was remembered is damaged.
    #[error("what was remembered of this log is damaged")]
    Memory,
}

impl Remembered {
    /// Returns what is to be remembered of a head.
    pub fn of(key: &str, head: &Head) -> Remembered {
        Remembered { key: key.to_owned(), size: head.size, root: head.root.to_string() }
    }

    /// Returns the size and the root.
    ///
    /// # Errors
    /// If it is damaged.
    pub fn head(&self) -> Result<(u64, Hash), FollowError> {
        let root = Hash::parse_hash(&self.root).map_err(|_| FollowError::Memory)?;
        if self.size > note::MAX_SIZE {
            return Err(FollowError::Memory);
        }
        Ok((self.size, root))
    }
}

/// Reads the checkpoint of a log, and checks that the log begins with what is remembered of it.
///
/// Without memory, the key is the one that the server names: later calls notice another one.
///
/// # Errors
/// If the log is not the one that it was, or cannot be read.
pub fn follow(
    source: &dyn Source,
    remembered: Option<&Remembered>,
) -> Result<Remembered, FollowError> {
    let note = text(source, "log/checkpoint")?;
    let Some(remembered) = remembered else {
        let key = text(source, "log/key")?.trim().to_owned();
        return Ok(Remembered::of(&key, &note::open(&note, &key)?));
    };
    let before = remembered.head()?;
    let (key, head) = match note::open(&note, &remembered.key) {
        Ok(head) => (remembered.key.clone(), head),
        Err(NoteError::Signature) => {
            let key = text(source, "log/key")?.trim().to_owned();
            let head = note::open(&note, &key)?;
            let last = successor(source, remembered, &head)?;
            if last != key {
                return Err(NoteError::Signature.into());
            }
            (key, head)
        }
        Err(other) => return Err(other.into()),
    };
    check_consistency(source, before, &head)?;
    Ok(Remembered::of(&key, &head))
}

/// Follows the keys that the entries since `remembered` name.
fn successor(
    source: &dyn Source,
    remembered: &Remembered,
    head: &Head,
) -> Result<String, FollowError> {
    let mut key = remembered.key.clone();
    let first = remembered.size / WIDTH;
    let tiles = head.size.div_ceil(WIDTH);
    for number in first..tiles.min(first + TILES) {
        for (at, entry) in entries_of(source, number, head.size)? {
            let Ok(entry) = Entry::parse(&entry) else { continue };
            if at >= remembered.size
                && let Some(next) = note::succeeded(&key, &entry)?
            {
                key = next;
            }
        }
    }
    Ok(key)
}

/// Returns the entries of a tile with their numbers. They are not verified.
///
/// # Errors
/// If the tile cannot be read, or has another number of entries.
pub(crate) fn entries_of(
    source: &dyn Source,
    number: u64,
    size: u64,
) -> Result<Vec<(u64, String)>, FollowError> {
    let first = number * WIDTH;
    let width = WIDTH.min(size.saturating_sub(first));
    let path = TilePath { level: None, number, width }.text();
    let bytes = source.get(&format!("log/tile/{path}"))?;
    let entries = unbundle(&bytes).filter(|entries| entries.len() as u64 == width);
    let entries = entries.ok_or(FollowError::Entries)?;
    let text = |(at, entry): (u64, &[u8])| {
        let text = String::from_utf8(entry.to_vec()).map_err(|_| FollowError::Entries)?;
        Ok((at, text))
    };
    (first..).zip(entries).map(text).collect()
}

pub(crate) fn text(source: &dyn Source, path: &str) -> Result<String, FollowError> {
    String::from_utf8(source.get(path)?).map_err(|_| FollowError::Entries)
}
