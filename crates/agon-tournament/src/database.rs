//! The results as an SQLite database, for queries.
//!
//! It is derived from the journal, which stays the truth: it can be deleted at any time, is made anew when it does not
//! fit, and catches up with what it lacks. The schema is in `schema.sql` and `docs/tournaments.md`.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use rusqlite::{Connection, OptionalExtension, params};
use thiserror::Error;

use crate::{Plan, Record};

const SCHEMA: &str = include_str!("schema.sql");

/// The version of the schema.
const VERSION: i64 = 1;

/// Why a database cannot be used.
#[derive(Debug, Error)]
pub enum DatabaseError {
    /// SQLite refuses.
    #[error("{}: {source}; the database can be deleted, and is then made anew from the journal", .file.display())]
    Sqlite {
        /// The database.
        file: PathBuf,
        /// Why.
        source: rusqlite::Error,
    },
    /// The file cannot be replaced.
    #[error("{}: {source}", .file.display())]
    Io {
        /// The database.
        file: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file is no database of a tournament, so that it is not overwritten.
    #[error("{} is no database of a tournament; move it away", .file.display())]
    Foreign {
        /// The file.
        file: PathBuf,
    },
    /// A record has a bot that the plan does not have.
    #[error("match {id} in the journal is one of the bot `{name}`, which the plan does not have")]
    Bot {
        /// The match.
        id: String,
        /// The name.
        name: String,
    },
}

/// A database that is open for writing.
#[derive(Debug)]
pub struct Database {
    path: PathBuf,
    connection: Connection,
    bots: BTreeMap<String, i64>,
    /// Matches in it: the first ones of the journal.
    matches: usize,
}

impl Database {
    /// Opens the database of a plan and brings it up to date with the records of its journal. What is there of another
    /// plan, another version, or what is no beginning of the journal, is made anew.
    ///
    /// # Errors
    /// If the file is something else, or cannot be written.
    pub fn open(path: &Path, plan: &Plan, records: &[Record]) -> Result<Database, DatabaseError> {
        if let Some(mut database) = Database::existing(path, plan, records)? {
            database.append(&records[database.matches..])?;
            return Ok(database);
        }
        for ending in ["", "-wal", "-shm", "-journal"] {
            let mut name = path.as_os_str().to_owned();
            name.push(ending);
            match fs::remove_file(&name) {
                Err(source) if source.kind() != io::ErrorKind::NotFound => {
                    return Err(DatabaseError::Io { file: name.into(), source });
                }
                _ => {}
            }
        }
        let mut database = Database::create(path, plan).map_err(|source| sqlite(path, source))?;
        database.append(records)?;
        Ok(database)
    }

    /// Adds the next records of the journal, all of them or none.
    ///
    /// # Errors
    /// If a record has a bot that the plan does not have, or SQLite refuses.
    pub fn append(&mut self, records: &[Record]) -> Result<(), DatabaseError> {
        for record in records {
            if let Some(name) = record.seats.iter().find(|name| !self.bots.contains_key(*name)) {
                return Err(DatabaseError::Bot { id: record.id.to_string(), name: name.clone() });
            }
        }
        self.insert(records).map_err(|source| sqlite(&self.path, source))?;
        self.matches += records.len();
        Ok(())
    }

    /// How many matches are in it.
    pub fn matches(&self) -> usize {
        self.matches
    }

    /// The connection, for queries.
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    /// The database that is there, if it is one of this plan and of the beginning of this journal.
    fn existing(path: &Path, plan: &Plan, records: &[Record]) -> Result<Option<Database>, DatabaseError> {
        match fs::metadata(path) {
            Err(_) => return Ok(None),
            Ok(data) if data.is_file() && data.len() == 0 => return Ok(None),
            Ok(data) if !data.is_file() => return Err(DatabaseError::Foreign { file: path.to_owned() }),
            Ok(_) => {}
        }
        let about = |connection: &Connection| {
            connection.query_row("SELECT version, plan FROM about", [], |row| {
                Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?))
            })
        };
        let found = Connection::open(path).and_then(|connection| Ok((about(&connection)?, connection)));
        // Whatever cannot tell what it is may be somebody else's.
        let ((version, digest), connection) = match found {
            Ok(found) => found,
            Err(error) if is_busy(&error) => return Err(sqlite(path, error)),
            // Of an arena that was killed before it had written more, or of somebody who has written nothing yet.
            Err(_) if is_empty(path) => return Ok(None),
            Err(_) => return Err(DatabaseError::Foreign { file: path.to_owned() }),
        };
        if version != VERSION || digest != plan.digest() {
            return Ok(None);
        }
        match Database::known(path, plan, connection, records) {
            // After a power failure.
            Err(error) if error.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseCorrupt) => Ok(None),
            known => known.map_err(|source| sqlite(path, source)),
        }
    }

    fn known(
        path: &Path,
        plan: &Plan,
        connection: Connection,
        records: &[Record],
    ) -> rusqlite::Result<Option<Database>> {
        set_up(&connection)?;
        let count: i64 = connection.query_row("SELECT count(*) FROM match", [], |row| row.get(0))?;
        let matches = count as usize;
        let last = connection.query_row("SELECT id, key FROM match ORDER BY match DESC LIMIT 1", [], |row| {
            Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?))
        });
        let expected =
            records.get(..matches).map(|known| known.last().map(|r| (r.id.to_string(), r.key.clone())));
        // Journals only grow; if somebody deleted a line of it, the last match is another one.
        if expected != Some(last.optional()?) {
            return Ok(None);
        }
        let path = path.to_owned();
        Ok(Some(Database { path, connection, bots: numbers(plan), matches }))
    }

    fn create(path: &Path, plan: &Plan) -> rusqlite::Result<Database> {
        let mut connection = Connection::open(path)?;
        set_up(&connection)?;
        let transaction = connection.transaction()?;
        transaction.execute_batch(SCHEMA)?;
        transaction.execute("INSERT INTO about VALUES (?, ?)", params![VERSION, plan.digest()])?;
        for (number, bot) in plan.bots.iter().enumerate() {
            let row = params![number as i64, bot.name, bot.text];
            transaction.execute("INSERT INTO bot VALUES (?, ?, ?)", row)?;
        }
        transaction.commit()?;
        Ok(Database { path: path.to_owned(), connection, bots: numbers(plan), matches: 0 })
    }

    fn insert(&mut self, records: &[Record]) -> rusqlite::Result<()> {
        let transaction = self.connection.transaction()?;
        {
            let mut game = transaction.prepare("INSERT INTO match VALUES (?,?,?,?,?,?,?,?,?,?,?)")?;
            let mut seat = transaction.prepare("INSERT INTO seat VALUES (?,?,?,?,?,?,?,?,?)")?;
            for (number, record) in (self.matches as i64 + 1..).zip(records) {
                let pairing = record.id.pairing;
                game.execute(params![
                    number,
                    record.id.to_string(),
                    pairing.round,
                    pairing.group,
                    pairing.pairing,
                    record.id.number,
                    record.key,
                    record.seed.to_string(),
                    record.void,
                    record.ms as i64,
                    record.replay,
                ])?;
                let points: Vec<u32> = record.outcome().half_points().collect();
                for (at, name) in record.seats.iter().enumerate() {
                    let faults = record.faults.get(at).map_or(&[][..], Vec::as_slice);
                    let kind = faults.first().and_then(|fault| serde_json::to_value(fault.kind).ok());
                    let count = faults.iter().map(|fault| fault.count).fold(0u64, u64::saturating_add);
                    seat.execute(params![
                        number,
                        at as i64,
                        self.bots[name],
                        record.places[at],
                        record.scores[at],
                        f64::from(points[at]) / 2.0,
                        kind.as_ref().and_then(|kind| kind.as_str()),
                        i64::try_from(count).unwrap_or(i64::MAX),
                        faults.first().map(|fault| &fault.text),
                    ])?;
                }
            }
        }
        transaction.commit()
    }
}

fn numbers(plan: &Plan) -> BTreeMap<String, i64> {
    plan.bots.iter().zip(0..).map(|(bot, number)| (bot.name.clone(), number)).collect()
}

/// Others may read while it is written; nothing has to survive the machine, since the journal does.
fn set_up(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(std::time::Duration::from_secs(5))?;
    connection.pragma_update(None, "journal_mode", "wal")?;
    connection.pragma_update(None, "synchronous", "off")?;
    connection.pragma_update(None, "foreign_keys", "on")
}

/// Whether it is a database without any tables.
fn is_empty(path: &Path) -> bool {
    let tables = Connection::open(path).and_then(|connection| {
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
    });
    tables.is_ok_and(|tables: i64| tables == 0)
}

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(rusqlite::ErrorCode::DatabaseBusy | rusqlite::ErrorCode::DatabaseLocked)
    )
}

fn sqlite(path: &Path, source: rusqlite::Error) -> DatabaseError {
    DatabaseError::Sqlite { file: path.to_owned(), source }
}
