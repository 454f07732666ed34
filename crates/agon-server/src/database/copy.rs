//! Copies, which are files of SQLite whatever the server uses, and what they name.

use std::{collections::BTreeSet, path::Path, thread, time::Duration};

use anyhow::{Context, Result, ensure};
use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags, OptionalExtension};

use super::sqlite::{open_file, steps_done};
use super::{SQLITE, missing};

/// How long a copy waits for a lock before it tries again.
const AGAIN: Duration = Duration::from_millis(50);

/// All queries for digests of blobs.
const NAMED: [&str; 3] = [
    "SELECT source FROM versions WHERE source IS NOT NULL",
    "SELECT built FROM versions WHERE built IS NOT NULL",
    "SELECT replay FROM matches WHERE replay IS NOT NULL AND replay_removed IS NULL",
];

/// All queries for what a blob is.
const WORDS: [&str; 3] = [
    "SELECT 'the files of ' || bots.slug || ' v' || versions.number || ' in ' || arenas.slug
        FROM versions JOIN bots ON bots.id = versions.bot JOIN arenas ON arenas.id = bots.arena
        WHERE source = ?1",
    "SELECT 'what plays of ' || bots.slug || ' v' || versions.number || ' in ' || arenas.slug
        FROM versions JOIN bots ON bots.id = versions.bot JOIN arenas ON arenas.id = bots.arena
        WHERE built = ?1",
    "SELECT 'the replay of match ' || matches.number || ' in ' || arenas.slug
        FROM matches JOIN arenas ON arenas.id = matches.arena
        WHERE replay = ?1 AND replay_removed IS NULL",
];

/// Copies a database as it is at one moment. Those who use it notice nothing.
pub(crate) fn copy(from: &Path, to: &Path) -> Result<()> {
    let copied = || -> rusqlite::Result<()> {
        // Even to read, SQLite may have to make its files for locks.
        let source = open_file(from, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        let mut copy = Connection::open(to)?;
        let backup = Backup::new(&source, &mut copy)?;
        // All pages in one step: otherwise each write meanwhile would have it begin again.
        while backup.step(-1)? != StepResult::Done {
            thread::sleep(AGAIN);
        }
        drop(backup);
        // A single file, which can be read without others.
        copy.pragma_update(None, "journal_mode", "delete")?;
        copy.close().map_err(|(_, error)| error)
    };
    let places = || format!("{} cannot be copied to {}", from.display(), to.display());
    copied().with_context(places)
}

/// A copy of a database, which is only read.
pub(crate) struct Copy(Connection);

impl Copy {
    /// Opens a copy, and checks all of it.
    pub(crate) fn open(path: &Path) -> Result<Copy> {
        let shown = path.display().to_string();
        let open = || -> Result<Connection> {
            let connection = open_file(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
            let found: String =
                connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
            ensure!(found == "ok", "the database is damaged: {found}");
            missing(SQLITE, &steps_done(&connection)?)?;
            Ok(connection)
        };
        Ok(Copy(open().with_context(|| shown.clone())?))
    }

    /// Returns the form of its tables.
    pub(crate) fn schema(&self) -> Result<i64> {
        Ok(self.0.query_row("SELECT max(version) FROM migrations", [], |row| row.get(0))?)
    }

    /// Returns a fact of the server as a whole: its secret, or the id of the folder to which it
    /// belongs if it is of a database on a server.
    pub(crate) fn fact(&self, name: &str) -> Result<Option<String>> {
        let sql = "SELECT value FROM facts WHERE name = ?1";
        Ok(self.0.query_row(sql, [name], |row| row.get(0)).optional()?)
    }

    /// Returns the digests of all blobs that it names, in order.
    pub(crate) fn blobs(&self) -> Result<BTreeSet<String>> {
        let mut all = BTreeSet::new();
        for sql in NAMED {
            let mut query = self.0.prepare(sql)?;
            for digest in query.query_map([], |row| row.get(0))? {
                all.insert(digest?);
            }
        }
        Ok(all)
    }

    /// Returns what a blob is, in words.
    pub(crate) fn words(&self, digest: &str) -> Result<String> {
        let mut words = Vec::new();
        for sql in WORDS {
            let mut query = self.0.prepare(sql)?;
            for word in query.query_map([digest], |row| row.get::<_, String>(0))? {
                words.push(word?);
            }
        }
        Ok(words.join(", "))
    }
}
