//! A folder that the server itself has made, with a bot in Python that it has built and checked:
//! all generated versions play that bot's files.

use std::path::Path;

use agon_ladder::ledger::{Entry, unpack};
use agon_match::spec::Digest;
use anyhow::{Context, Result, ensure};
use rusqlite::Connection;

use crate::site;

/// What the server made.
pub(super) struct Base {
    pub(super) connection: Connection,
    pub(super) arena: i64,
    /// The digest of what its matches keep to.
    pub(super) terms: Digest,
    pub(super) version: Template,
}

/// What all versions have in common.
pub(super) struct Template {
    pub(super) source: String,
    pub(super) built: String,
    pub(super) run: String,
    pub(super) language: String,
    pub(super) report: Option<String>,
}

/// Starts and stops the server with a new folder, and empties its tables of bots and matches.
///
/// # Errors
/// If the folder has something in it, or the server does not build the bot.
pub(super) fn make(data: &Path, game: &str) -> Result<Base> {
    let is_new = !data.exists() || data.read_dir()?.next().is_none();
    ensure!(is_new, "{} is not empty; name a new folder", data.display());
    // No bosses: all bots are generated ones.
    let (server, mut root) = site::start(data, game, &[], &[])?;
    let page = format!("/admin/arenas/{game}");
    root.post(&format!("{page}/pause"), &page, &[]);
    let mut author = server.author(&mut root, "ada");
    let path = site::hand_in(&mut author, game)?;
    site::until_ready(&mut author, &path)?;
    ensure!(server.stop(), "the server does not end well");
    empty(&data.join("agon.db"))
}

fn empty(path: &Path) -> Result<Base> {
    let connection = Connection::open(path)?;
    // The file is not yet anybody's: after a crash, it is generated again.
    connection.execute_batch(
        "PRAGMA journal_mode = delete; PRAGMA journal_mode = off;
         PRAGMA locking_mode = exclusive; PRAGMA synchronous = off; PRAGMA foreign_keys = off;
         PRAGMA cache_size = -400000; PRAGMA temp_store = memory",
    )?;
    let arena = connection.query_row("SELECT id FROM arenas", [], |row| row.get(0))?;
    let terms = terms(&connection)?.context("the log does not name the arena's terms")?;
    let sql = "SELECT source, built, run, language, report FROM versions
        WHERE source IS NOT NULL";
    let version = connection.query_row(sql, [], |row| {
        Ok(Template {
            source: row.get(0)?,
            built: row.get(1)?,
            run: row.get(2)?,
            language: row.get(3)?,
            report: row.get(4)?,
        })
    })?;
    connection.execute_batch(
        "DELETE FROM versions; DELETE FROM bots; DELETE FROM people WHERE name = 'ada';
         DELETE FROM sessions; DELETE FROM matches; DELETE FROM seats; DELETE FROM counts;
         DELETE FROM pairs; DELETE FROM totals; DELETE FROM published;
         DELETE FROM log; DELETE FROM log_tiles;
         DELETE FROM checkpoints; DELETE FROM runtimes;
         INSERT INTO runtimes VALUES (1, '{\"python3\":\"3.12.3\"}')",
    )?;
    Ok(Base { connection, arena, terms, version })
}

/// Returns the digest of the arena's last terms.
fn terms(connection: &Connection) -> Result<Option<Digest>> {
    let mut query = connection.prepare("SELECT entry FROM log ORDER BY number DESC")?;
    for packed in query.query_map([], |row| row.get::<_, Vec<u8>>(0))? {
        if let Entry::Arena { terms, .. } = Entry::parse(&unpack(&packed?)?)? {
            return Ok(Some(terms));
        }
    }
    Ok(None)
}
