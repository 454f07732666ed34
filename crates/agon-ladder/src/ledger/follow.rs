//! Reads a log from a server, or from a copy of it in a folder, and checks that it only grew since
//! it was last seen. Nothing of it is believed.

use std::path::{Component, Path, PathBuf};
use std::{cell::RefCell, fs, io};

use serde::{Deserialize, Serialize};
use thiserror::Error;
use tlog_tiles::tile::{Tile, TileHashReader, TileReader};
use tlog_tiles::tlog::{Error as TlogError, Hash, check_tree, prove_tree};

use crate::ledger::tree::{HEIGHT, TilePath, WIDTH, unbundle};
use crate::ledger::{Entry, Head, note};

/// The most tiles in which a new key is looked for.
const TILES: u64 = 100_000;

/// Why a log is not accepted.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LogError {
    /// Something is not there: it never was, or is not kept any more.
    #[error("{0} is not there")]
    Missing(String),
    /// Something cannot be read at the moment.
    #[error("{0}")]
    Failed(String),
    /// No known key has signed a checkpoint.
    #[error("no key that is known for this ladder has signed it")]
    Signature,
    /// The log is not the one that it was.
    #[error("{0}")]
    Rewritten(String),
    /// Nobody handed in the files that were asked for, among so many versions.
    #[error("none of its {0} versions was handed in with these files")]
    NoSuchFiles(u64),
    /// Something else is wrong.
    #[error("{0}")]
    Wrong(String),
}

impl LogError {
    pub(crate) fn wrong(what: impl Into<String>) -> LogError {
        LogError::Wrong(what.into())
    }

    /// A tile is damaged, or does not belong to the checkpoint.
    pub(crate) fn entries() -> LogError {
        LogError::wrong("the entries that the server sends are not those of its checkpoint")
    }
}

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

impl Remembered {
    /// Returns what is to be remembered of a head.
    pub fn of(key: &str, head: &Head) -> Remembered {
        Remembered { key: key.to_owned(), size: head.size, root: head.root.to_string() }
    }

    /// Returns the size and the root.
    pub fn head(&self) -> Result<(u64, Hash), LogError> {
        match Hash::parse_hash(&self.root) {
            Ok(root) if self.size <= note::MAX_SIZE => Ok((self.size, root)),
            _ => Err(LogError::wrong("what was remembered of this log is damaged")),
        }
    }
}

/// Reads the checkpoint of a log, and checks that the log begins with what is remembered of it.
///
/// Without memory, the key is the one that the server names: later calls notice another one.
pub fn follow(
    source: &dyn Source,
    remembered: Option<&Remembered>,
) -> Result<Remembered, LogError> {
    let note = text(source, "log/checkpoint")?;
    let Some(remembered) = remembered else {
        let key = text(source, "log/key")?.trim().to_owned();
        return Ok(Remembered::of(&key, &note::open(&note, &key)?));
    };
    let before = remembered.head()?;
    let (key, head) = match note::open(&note, &remembered.key) {
        Ok(head) => (remembered.key.clone(), head),
        Err(LogError::Signature) => {
            let key = text(source, "log/key")?.trim().to_owned();
            let head = note::open(&note, &key)?;
            let last = successor(source, remembered, &head)?;
            if last != key {
                return Err(LogError::Signature);
            }
            (key, head)
        }
        Err(other) => return Err(other),
    };
    check_consistency(source, before, &head)?;
    Ok(Remembered::of(&key, &head))
}

/// Follows the keys that the entries since `remembered` name.
fn successor(
    source: &dyn Source,
    remembered: &Remembered,
    head: &Head,
) -> Result<String, LogError> {
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
) -> Result<Vec<(u64, String)>, LogError> {
    let first = number * WIDTH;
    let width = WIDTH.min(size.saturating_sub(first));
    let path = TilePath { level: None, number, width }.text();
    let bytes = source.get(&format!("log/tile/{path}"))?;
    let entries = unbundle(&bytes).filter(|entries| entries.len() as u64 == width);
    let entries = entries.ok_or_else(LogError::entries)?;
    let text = |(at, entry): (u64, &[u8])| {
        let text = String::from_utf8(entry.to_vec()).map_err(|_| LogError::entries())?;
        Ok((at, text))
    };
    (first..).zip(entries).map(text).collect()
}

pub(crate) fn text(source: &dyn Source, path: &str) -> Result<String, LogError> {
    String::from_utf8(source.get(path)?).map_err(|_| LogError::entries())
}

/// Where a log is read from.
pub trait Source {
    /// Returns the file at a path below the server's address, such as `log/checkpoint`.
    fn get(&self, path: &str) -> Result<Vec<u8>, LogError>;
}

/// A copy of a log in a folder.
#[derive(Clone, Debug)]
pub struct Folder(pub PathBuf);

impl Source for Folder {
    fn get(&self, path: &str) -> Result<Vec<u8>, LogError> {
        let is_inside = Path::new(path).components().all(|c| matches!(c, Component::Normal(_)));
        let file = self.0.join(path);
        let missing = || LogError::Missing(path.to_owned());
        if !is_inside {
            return Err(missing());
        }
        fs::read(&file).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => missing(),
            _ => LogError::Failed(format!("{}: {error}", file.display())),
        })
    }
}

/// Checks that a log still begins with what it was. Reads a few tiles.
fn check_consistency(
    source: &dyn Source,
    before: (u64, Hash),
    after: &Head,
) -> Result<(), LogError> {
    let (size, root) = before;
    check_length(size, after)?;
    if size == 0 {
        return Ok(());
    }
    if size == after.size {
        return if root == after.root { Ok(()) } else { Err(rewritten(size)) };
    }
    let tiles = Tiles { source, problem: RefCell::new(None) };
    let reader = TileHashReader::new(after.size, after.root, &tiles);
    let proof = prove_tree(after.size, size, &reader);
    if let Some(problem) = tiles.problem.into_inner() {
        return Err(problem);
    }
    let is_proven =
        proof.is_ok_and(|proof| check_tree(&proof, after.size, after.root, size, root).is_ok());
    if is_proven { Ok(()) } else { Err(rewritten(size)) }
}

/// Checks that a log is not shorter than it was.
pub(crate) fn check_length(before: u64, now: &Head) -> Result<(), LogError> {
    let after = now.size;
    match after < before {
        true => Err(LogError::Rewritten(format!(
            "the log had {before} entries, and has {after} now: entries are gone"
        ))),
        false => Ok(()),
    }
}

/// Makes the error that a log does not begin with what it was.
pub(crate) fn rewritten(size: u64) -> LogError {
    LogError::Rewritten(format!(
        "the log's first {size} entries are not those that they were: it was rewritten"
    ))
}

/// The tiles of a log, for the library.
struct Tiles<'a> {
    source: &'a dyn Source,
    /// The first tile that could not be read.
    problem: RefCell<Option<LogError>>,
}

impl TileReader for Tiles<'_> {
    fn height(&self) -> u8 {
        HEIGHT
    }

    fn read_tiles(&self, tiles: &[Tile]) -> Result<Vec<Vec<u8>>, TlogError> {
        let read = |tile: &Tile| {
            let path = TilePath {
                level: Some(tile.level()),
                number: tile.level_index(),
                width: tile.width().into(),
            };
            self.source.get(&format!("log/tile/{}", path.text()))
        };
        let all: Result<Vec<Vec<u8>>, LogError> = tiles.iter().map(read).collect();
        all.map_err(|problem| {
            self.problem.replace(Some(problem));
            TlogError::InvalidTile
        })
    }

    fn save_tiles(&self, _: &[Tile], _: &[Vec<u8>]) {}
}
