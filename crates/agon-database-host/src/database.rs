//! Writes the results of a tournament into an SQLite database, for queries.
//!
//! The database is derived from the journal and can be deleted at any time. If it does not fit, it
//! is made again. The schema is in `schema.sql` and `docs/tournaments.md`.

use std::{fs, io, path::Path, path::PathBuf, time::Duration};

use agon_database::{BotRow, LastMatch, MatchRow, SeatRow};
use rusqlite::{Connection, ErrorCode, OptionalExtension, Statement, TransactionBehavior, params};

use crate::refused::Refused;

const SCHEMA: &str = include_str!("schema.sql");

/// The version of the schema.
const VERSION: i64 = 2;

/// The tournament, and the file of its database.
#[derive(Debug)]
pub(crate) struct Tournament {
    pub(crate) file: PathBuf,
    /// The digest of the plan.
    pub(crate) plan: String,
    pub(crate) bots: Vec<BotRow>,
}

/// A database that is open for writing.
#[derive(Debug)]
pub(crate) struct Database {
    connection: Connection,
    /// Matches in it: the first ones of the journal.
    matches: u64,
}

impl Database {
    /// Opens the database of a tournament. A database of another plan or version, or a damaged one,
    /// is replaced.
    ///
    /// # Errors
    /// If the file is something else, or cannot be written.
    pub(crate) fn open(tournament: &Tournament) -> Result<Database, Refused> {
        match Database::existing(tournament)? {
            Some(database) => Ok(database),
            None => Database::anew(tournament),
        }
    }

    /// Makes a database without matches in place of the old one.
    ///
    /// # Errors
    /// If a file cannot be removed or written.
    pub(crate) fn anew(tournament: &Tournament) -> Result<Database, Refused> {
        for ending in ["", "-wal", "-shm", "-journal"] {
            let mut name = tournament.file.as_os_str().to_owned();
            name.push(ending);
            match fs::remove_file(&name) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(Refused::remove(Path::new(&name), &error));
                }
                _ => {}
            }
        }
        Ok(Database::create(tournament)?)
    }

    /// Returns how many matches are in it.
    pub(crate) fn matches(&self) -> u64 {
        self.matches
    }

    /// Returns the last match in it.
    ///
    /// # Errors
    /// If SQLite refuses.
    pub(crate) fn last(&self) -> rusqlite::Result<Option<LastMatch>> {
        let query = "SELECT id, key FROM match ORDER BY match DESC LIMIT 1";
        let last = |row: &rusqlite::Row<'_>| Ok(LastMatch { id: row.get(0)?, key: row.get(1)? });
        self.connection.query_row(query, [], last).optional()
    }

    /// Adds the matches of the journal after the first `before`, all of them or none. Matches that
    /// are there already are left out. Returns how many are in it then.
    ///
    /// # Errors
    /// If SQLite refuses.
    pub(crate) fn append(&mut self, before: u64, rows: &[MatchRow]) -> rusqlite::Result<u64> {
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let last: Option<i64> =
            transaction.query_row("SELECT max(match) FROM match", [], |row| row.get(0))?;
        let there = (last.unwrap_or(0) as u64).saturating_sub(before);
        {
            let mut game =
                transaction.prepare("INSERT INTO match VALUES (?,?,?,?,?,?,?,?,?,?,?)")?;
            let mut seats = transaction.prepare("INSERT INTO seat VALUES (?,?,?,?,?,?,?,?,?,?)")?;
            for (number, row) in (before as i64 + 1..).zip(rows).skip(there as usize) {
                insert_match(&mut game, number, row)?;
                for (at, seat) in (0..).zip(&row.seats) {
                    insert_seat(&mut seats, (number, at), seat)?;
                }
            }
        }
        transaction.commit()?;
        self.matches = before + rows.len() as u64;
        Ok(self.matches)
    }

    /// Returns the database that is there, if it is one of this plan.
    fn existing(tournament: &Tournament) -> Result<Option<Database>, Refused> {
        let Tournament { file, plan, .. } = tournament;
        match fs::metadata(file) {
            Err(_) => return Ok(None),
            Ok(data) if data.is_file() && data.len() == 0 => return Ok(None),
            Ok(data) if !data.is_file() => return Err(Refused::foreign()),
            Ok(_) => {}
        }
        let about = |connection: &Connection| {
            connection.query_row("SELECT version, plan FROM about", [], |row| {
                Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?))
            })
        };
        let found =
            Connection::open(file).and_then(|connection| Ok((about(&connection)?, connection)));
        // A file that cannot be identified may belong to somebody else.
        let ((version, digest), connection) = match found {
            Ok(found) => found,
            Err(error) if is_busy(&error) => return Err(error.into()),
            // An arena was killed before it wrote more, or somebody has written nothing yet.
            Err(_) if is_empty(file) => return Ok(None),
            Err(_) => return Err(Refused::foreign()),
        };
        if version != VERSION || digest != *plan {
            return Ok(None);
        }
        match Database::known(connection) {
            // A power failure may do this.
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseCorrupt) => Ok(None),
            known => Ok(known.map(Some)?),
        }
    }

    fn known(connection: Connection) -> rusqlite::Result<Database> {
        set_up(&connection)?;
        let count: i64 =
            connection.query_row("SELECT count(*) FROM match", [], |row| row.get(0))?;
        let database = Database { connection, matches: count as u64 };
        // Fails if the database is damaged.
        database.last()?;
        Ok(database)
    }

    fn create(tournament: &Tournament) -> rusqlite::Result<Database> {
        let mut connection = Connection::open(&tournament.file)?;
        set_up(&connection)?;
        let transaction = connection.transaction()?;
        transaction.execute_batch(SCHEMA)?;
        transaction
            .execute("INSERT INTO about VALUES (?, ?)", params![VERSION, tournament.plan])?;
        for (number, bot) in (0i64..).zip(&tournament.bots) {
            transaction
                .execute("INSERT INTO bot VALUES (?, ?, ?)", params![number, bot.name, bot.spec])?;
        }
        transaction.commit()?;
        Ok(Database { connection, matches: 0 })
    }
}

fn insert_match(
    statement: &mut Statement<'_>,
    number: i64,
    row: &MatchRow,
) -> rusqlite::Result<usize> {
    statement.execute(params![
        number,
        row.id,
        row.round,
        row.group,
        row.pairing,
        row.number,
        row.key,
        row.seed.to_string(),
        row.void,
        row.ms as i64,
        row.replay,
    ])
}

/// Inserts seat `at` of match `number`.
fn insert_seat(
    statement: &mut Statement<'_>,
    (number, at): (i64, i64),
    seat: &SeatRow,
) -> rusqlite::Result<usize> {
    statement.execute(params![
        number,
        at,
        seat.bot,
        seat.place,
        seat.score,
        f64::from(seat.half_points) / 2.0,
        seat.fault,
        i64::try_from(seat.faults).unwrap_or(i64::MAX),
        seat.detail,
        seat.forfeit,
    ])
}

/// Lets others read while it is written. It need not survive a power failure, since the journal
/// does.
fn set_up(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(Duration::from_secs(5))?;
    connection.pragma_update(None, "journal_mode", "wal")?;
    connection.pragma_update(None, "synchronous", "off")?;
    connection.pragma_update(None, "foreign_keys", "on")
}

/// Returns whether the database has no tables.
fn is_empty(path: &Path) -> bool {
    let tables = Connection::open(path).and_then(|connection| {
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
    });
    tables.is_ok_and(|tables: i64| tables == 0)
}

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}
