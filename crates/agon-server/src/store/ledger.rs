//! The public log: entries that are only ever added, and what proves that.
//!
//! An entry is written in the transaction of what it tells, so there is never one without the
//! other.

use agon_ladder::ledger::{Entry, pack, unpack};
use agon_match::spec::Digest;
use tokio::task::spawn_blocking;

use super::{Store, Stored};
use crate::database::{DatabaseError, Statement, statement};

/// Returns the statement that adds an entry.
pub(crate) fn append(entry: &Entry) -> Statement {
    let sql = "INSERT INTO log (number, entry)
        VALUES ((SELECT coalesce(max(number) + 1, 0) FROM log), $1)";
    statement(sql, (pack(&entry.text()).as_slice(),)).once()
}

/// Returns the statement that keeps the terms of an arena, and the one that logs them.
pub(crate) fn terms(arena: i64, text: &str) -> Vec<Statement> {
    let digest = Digest::of(text.as_bytes());
    let keep = "INSERT INTO terms (digest, text) VALUES ($1, $2) ON CONFLICT (digest) DO NOTHING";
    let entry = Entry::Arena { arena: arena.cast_unsigned(), terms: digest };
    vec![statement(keep, (digest, text)), append(&entry)]
}

/// Returns the statement that keeps the root of a whole tile.
pub(crate) fn tile(level: u8, number: u64, hash: &[u8]) -> Statement {
    let sql = "INSERT INTO log_tiles (level, number, hash) VALUES ($1, $2, $3)
        ON CONFLICT (level, number) DO NOTHING";
    statement(sql, (i64::from(level), number, hash))
}

/// Returns the statements that replace the checkpoint.
pub(crate) fn checkpoint(size: u64, note: &str, at: i64) -> Vec<Statement> {
    let add = "INSERT INTO checkpoints (size, made, note) VALUES ($1, $2, $3)
        ON CONFLICT (size) DO UPDATE SET made = $2, note = $3";
    let forget = "DELETE FROM checkpoints WHERE size < $1";
    vec![statement(add, (size, at, note)), statement(forget, (size,))]
}

impl Store {
    /// Returns how many entries the log has.
    pub(crate) async fn log_size(&self) -> Stored<u64> {
        self.count("SELECT coalesce(max(number) + 1, 0) FROM log", ()).await
    }

    /// Returns entries of the log, in order.
    pub(crate) async fn log_entries(&self, first: u64, count: u64) -> Stored<Vec<String>> {
        let sql = "SELECT number, entry FROM log WHERE number >= $1 AND number < $2
            ORDER BY number";
        let rows: Vec<(u64, Vec<u8>)> = self.all(sql, (first, first + count)).await?;
        // Those of a tile may be millions of bytes.
        let unpacked = spawn_blocking(move || rows.into_iter().map(entry_of).collect());
        unpacked.await.map_err(|error| DatabaseError::Engine(error.to_string()))?
    }

    /// Returns the roots of whole tiles, in order.
    pub(crate) async fn log_tiles(&self, level: u8, first: u64, n: u64) -> Stored<Vec<Vec<u8>>> {
        let sql = "SELECT hash FROM log_tiles WHERE level = $1 AND number >= $2 AND number < $3
            ORDER BY number";
        self.all(sql, (i64::from(level), first, first + n)).await
    }

    /// Returns how many roots of whole tiles are kept of a level.
    pub(crate) async fn tiles_of(&self, level: u8) -> Stored<u64> {
        let sql = "SELECT coalesce(max(number) + 1, 0) FROM log_tiles WHERE level = $1";
        self.count(sql, (i64::from(level),)).await
    }

    /// Returns the last checkpoint: the number of entries, and the signed note.
    pub(crate) async fn checkpoint(&self) -> Stored<Option<(u64, String)>> {
        let sql = "SELECT size, note FROM checkpoints ORDER BY size DESC LIMIT 1";
        self.first(sql, ()).await
    }

    /// Returns terms of an arena.
    pub(crate) async fn terms(&self, digest: Digest) -> Stored<Option<String>> {
        let sql = "SELECT text FROM terms WHERE digest = $1";
        self.first(sql, (digest,)).await
    }
}

fn entry_of((number, packed): (u64, Vec<u8>)) -> Stored<String> {
    unpack(&packed).map_err(|error| {
        let text = format!(
            "entry {number} of the public log is damaged ({error}); restore the database from a \
             backup"
        );
        DatabaseError::Engine(text)
    })
}
