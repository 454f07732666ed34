//! Where a log is read from: a server, or a copy of it in a folder. Nothing of it is believed.

use std::{
    cell::RefCell,
    fs, io,
    path::{Component, Path, PathBuf},
};

use thiserror::Error;
use tlog_tiles::{
    tile::{Tile, TileHashReader, TileReader},
    tlog::{Error as TlogError, Hash, check_tree, prove_tree},
};

use crate::ledger::{note::Head, tree::HEIGHT};

/// Why something cannot be read.
#[derive(Clone, Debug, Error)]
pub enum SourceError {
    /// It is not there: it never was, or is not kept any more.
    #[error("{0} is not there")]
    Missing(String),
    /// It cannot be read at the moment.
    #[error("{0}")]
    Failed(String),
}

/// Where a log is read from.
pub trait Source {
    /// Returns the file at a path below the server's address, such as `log/checkpoint`.
    ///
    /// # Errors
    /// If it is not there, or cannot be read.
    fn get(&self, path: &str) -> Result<Vec<u8>, SourceError>;
}

/// A copy of a log in a folder.
#[derive(Clone, Debug)]
pub struct Folder(pub PathBuf);

impl Source for Folder {
    fn get(&self, path: &str) -> Result<Vec<u8>, SourceError> {
        let is_inside = Path::new(path).components().all(|c| matches!(c, Component::Normal(_)));
        let file = self.0.join(path);
        let missing = || SourceError::Missing(path.to_owned());
        if !is_inside {
            return Err(missing());
        }
        fs::read(&file).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => missing(),
            _ => SourceError::Failed(format!("{}: {error}", file.display())),
        })
    }
}

/// Why two heads of a log do not go together.
#[derive(Debug, Error)]
pub enum ConsistencyError {
    /// A tile cannot be read.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The later head is shorter.
    #[error("the log had {before} entries, and has {after} now: entries are gone")]
    Shorter {
        /// The entries that it had.
        before: u64,
        /// Those that it has.
        after: u64,
    },
    /// The later log does not begin with the earlier one.
    #[error("the log's first {size} entries are not those that they were: it was rewritten")]
    Rewritten {
        /// How many entries the earlier one had.
        size: u64,
    },
}

/// Checks that a log still begins with what it was. Reads a few tiles.
///
/// # Errors
/// If it does not, or a tile cannot be read.
pub fn check_consistency(
    source: &dyn Source,
    before: (u64, Hash),
    after: &Head,
) -> Result<(), ConsistencyError> {
    let (size, root) = before;
    let rewritten = ConsistencyError::Rewritten { size };
    if after.size < size {
        return Err(ConsistencyError::Shorter { before: size, after: after.size });
    }
    if size == 0 {
        return Ok(());
    }
    if size == after.size {
        return if root == after.root { Ok(()) } else { Err(rewritten) };
    }
    let tiles = Tiles { source, problem: RefCell::new(None) };
    let reader = TileHashReader::new(after.size, after.root, &tiles);
    let proof = prove_tree(after.size, size, &reader);
    if let Some(problem) = tiles.problem.into_inner() {
        return Err(problem.into());
    }
    let is_proven =
        proof.is_ok_and(|proof| check_tree(&proof, after.size, after.root, size, root).is_ok());
    if is_proven { Ok(()) } else { Err(rewritten) }
}

/// The tiles of a log, for the library.
struct Tiles<'a> {
    source: &'a dyn Source,
    /// The first tile that could not be read.
    problem: RefCell<Option<SourceError>>,
}

impl TileReader for Tiles<'_> {
    fn height(&self) -> u8 {
        HEIGHT
    }

    fn read_tiles(&self, tiles: &[Tile]) -> Result<Vec<Vec<u8>>, TlogError> {
        let read = |tile: &Tile| {
            let path = crate::ledger::tree::TilePath {
                level: Some(tile.level()),
                number: tile.level_index(),
                width: tile.width().into(),
            };
            self.source.get(&format!("log/tile/{}", path.text()))
        };
        let all: Result<Vec<Vec<u8>>, SourceError> = tiles.iter().map(read).collect();
        all.map_err(|problem| {
            self.problem.replace(Some(problem));
            TlogError::InvalidTile
        })
    }

    fn save_tiles(&self, _: &[Tile], _: &[Vec<u8>]) {}
}
