//! What is removed because of its age: replays, and what bots wrote; and blobs that are to be
//! removed. Their rows stay until the files are gone, so no crash loses one.

use agon_match::spec::Digest;

use super::{Store, Stored};
use crate::database::{Statement, row, statement};

/// Up to which match of an arena old things are removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Removed {
    pub(crate) replays: u64,
    pub(crate) logs: u64,
}

/// A match whose things may be old.
#[derive(Clone, Debug)]
pub(crate) struct Aged {
    pub(crate) number: u64,
    /// When it ended; `None` if it did not yet.
    pub(crate) ended: Option<i64>,
    pub(crate) replay: Option<Digest>,
}

row!(Removed { replays, logs });
row!(Aged { number, ended, replay });

impl Removed {
    /// Returns the statement that notes it for an arena.
    pub(crate) fn note(self, arena: i64) -> Statement {
        let sql = "INSERT INTO retention (arena, replays, logs) VALUES ($1, $2, $3)
            ON CONFLICT (arena) DO UPDATE SET replays = $2, logs = $3";
        statement(sql, (arena, self.replays, self.logs))
    }
}

/// Returns the statement that notes that replays of matches were removed: those behind `after`, up
/// to `last`.
pub(crate) fn remove_replays(arena: i64, after: u64, last: u64, at: i64) -> Statement {
    let sql = "UPDATE matches SET replay_removed = coalesce(replay_removed, $4)
        WHERE arena = $1 AND number > $2 AND number <= $3 AND replay IS NOT NULL";
    statement(sql, (arena, after, last, at))
}

/// Returns the statement that removes what bots wrote in matches, and what their decisions cost:
/// of those behind `after`, up to `last`.
pub(crate) fn remove_logs(arena: i64, after: u64, last: u64) -> Statement {
    let sql = "UPDATE seats SET stderr = NULL, cost = NULL
        WHERE arena = $1 AND number > $2 AND number <= $3
            AND (stderr IS NOT NULL OR cost IS NOT NULL)";
    statement(sql, (arena, after, last))
}

/// Returns the statement that has a blob removed, unless something names it.
pub(crate) fn doom(digest: Digest) -> Statement {
    let sql = "INSERT INTO doomed (digest) VALUES ($1) ON CONFLICT (digest) DO NOTHING";
    statement(sql, (digest,))
}

/// Returns the statement that notes that a blob was removed, or is needed.
pub(crate) fn removed(digest: Digest) -> Statement {
    statement("DELETE FROM doomed WHERE digest = $1", (digest,))
}

impl Store {
    /// Returns up to which match of an arena old things are removed.
    pub(crate) async fn removed(&self, arena: i64) -> Stored<Removed> {
        let sql = "SELECT replays, logs FROM retention WHERE arena = $1";
        Ok(self.first(sql, (arena,)).await?.unwrap_or_default())
    }

    /// Returns matches of an arena behind a number, in order.
    pub(crate) async fn aged_after(&self, arena: i64, after: u64, most: u32) -> Stored<Vec<Aged>> {
        let sql = "SELECT number, CASE WHEN state <> 'planned' THEN coalesce(played, planned) END,
                replay FROM matches
            WHERE arena = $1 AND number > $2 ORDER BY number LIMIT $3";
        self.all(sql, (arena, after, most)).await
    }

    /// Returns whether anything names a blob: a replay that was not removed, or files of a bot.
    pub(crate) async fn is_named(&self, digest: Digest) -> Stored<bool> {
        let sql = "SELECT (SELECT count(*) FROM matches
                    WHERE replay = $1 AND replay_removed IS NULL)
                + (SELECT count(*) FROM versions WHERE source = $1 OR built = $1)";
        Ok(self.count(sql, (digest,)).await? > 0)
    }

    /// Returns blobs that are to be removed.
    pub(crate) async fn doomed(&self, most: u32) -> Stored<Vec<Digest>> {
        let sql = "SELECT digest FROM doomed ORDER BY digest LIMIT $1";
        self.all(sql, (most,)).await
    }
}
