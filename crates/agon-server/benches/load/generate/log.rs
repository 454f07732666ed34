//! The public log of a generated ladder, with the roots of its tiles.

use agon_ladder::ledger::{
    Entry, pack,
    tree::{HEIGHT, WIDTH, above},
};
use anyhow::Result;
use rusqlite::Connection;
use tlog_tiles::tlog::{Hash, record_hash};

/// The log so far.
#[derive(Default)]
pub(super) struct Log {
    /// How many entries it has.
    pub(super) size: u64,
    /// The hashes of each level that are in no whole tile yet.
    levels: Vec<Vec<Hash>>,
    /// How many whole tiles each level has.
    tiles: Vec<u64>,
}

impl Log {
    /// Adds an entry; returns its number.
    ///
    /// # Errors
    /// If the database fails.
    pub(super) fn add(&mut self, connection: &Connection, entry: &Entry) -> Result<u64> {
        let text = entry.text();
        let number = self.size;
        connection
            .prepare_cached("INSERT INTO log (number, entry) VALUES (?1, ?2)")?
            .execute((number as i64, pack(&text)))?;
        self.size += 1;
        self.hash(connection, 0, record_hash(text.as_bytes()))?;
        Ok(number)
    }

    /// Adds a hash to a level, and the root of each tile that it completes.
    fn hash(&mut self, connection: &Connection, level: usize, hash: Hash) -> Result<()> {
        if self.levels.len() == level {
            self.levels.push(Vec::new());
            self.tiles.push(0);
        }
        self.levels[level].push(hash);
        if (self.levels[level].len() as u64) < WIDTH {
            return Ok(());
        }
        let root = above(&std::mem::take(&mut self.levels[level]));
        let number = self.tiles[level];
        self.tiles[level] += 1;
        let height = (level as i64 + 1) * i64::from(HEIGHT);
        connection
            .prepare_cached("INSERT INTO log_tiles (level, number, hash) VALUES (?1, ?2, ?3)")?
            .execute((height, number as i64, &root.0[..]))?;
        self.hash(connection, level + 1, root)
    }
}
