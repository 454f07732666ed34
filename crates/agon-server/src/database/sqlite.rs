//! A database in a file: SQLite, with one connection that writes and several that read.
//!
//! Each transaction of a group is a savepoint, so that one that fails leaves the others alone.

use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};
use std::{os::unix::fs::OpenOptionsExt, sync::Arc, sync::atomic::AtomicBool, time::Duration};

use anyhow::{Context, Result};
use parking_lot::Mutex;
use rusqlite::{Connection, ErrorCode, OpenFlags, ToSql, types::ValueRef};
use tokio::{runtime::Handle, sync::mpsc::Sender};

use super::{
    Database, DatabaseError, Engine, Later, PART, Row, SQLITE, Statement, Stored, Transaction,
    Value, Writer, missing,
};

/// The most reading connections that are kept.
const READERS: usize = 8;

/// A database in a file.
pub(crate) struct Sqlite {
    path: PathBuf,
    writer: Writer,
    readers: Arc<Mutex<Vec<Connection>>>,
}

impl Sqlite {
    /// Opens the database in a file, makes it if it is missing, and brings its tables up to date.
    pub(crate) fn open(path: &Path) -> Result<Sqlite> {
        let shown = path.display();
        let open = || -> Result<Connection> {
            // SQLite makes its other files as closed as this one.
            drop(OpenOptions::new().create(true).append(true).mode(0o600).open(path)?);
            let mut connection = connect(path)?;
            migrate(&mut connection)?;
            Ok(connection)
        };
        let connection = open().with_context(|| format!("the database {shown}"))?;
        let writer = Writer::start(connection)?;
        Ok(Sqlite { path: path.to_owned(), writer, readers: Arc::default() })
    }

    /// Has a connection that reads do something, on a thread that may wait.
    async fn reading<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Stored<T> + Send + 'static,
    ) -> Stored<T> {
        let readers = Arc::clone(&self.readers);
        let path = self.path.clone();
        let work = move || {
            let kept = readers.lock().pop();
            let connection = match kept {
                Some(connection) => connection,
                None => open_file(&path, OpenFlags::SQLITE_OPEN_READ_ONLY)
                    .map_err(|error| failed(&error))?,
            };
            let found = work(&connection)?;
            let mut readers = readers.lock();
            if readers.len() < READERS {
                readers.push(connection);
            }
            Ok(found)
        };
        let read = Handle::current().spawn_blocking(work).await;
        read.map_err(|error| DatabaseError::Engine(error.to_string()))?
    }
}

impl Database for Sqlite {
    fn read(&self, sql: &'static str, values: Vec<Value>) -> Later<'_, Vec<Row>> {
        Box::pin(self.reading(move |connection| read(connection, sql, &values)))
    }

    fn read_in_parts(
        &self,
        sql: &'static str,
        values: Vec<Value>,
        parts: Sender<Vec<Row>>,
    ) -> Later<'_, ()> {
        Box::pin(self.reading(move |connection| {
            let mut part = Vec::with_capacity(PART);
            each_row(connection, sql, &values, |row| {
                part.push(row);
                part.len() < PART || parts.blocking_send(std::mem::take(&mut part)).is_ok()
            })?;
            // Nobody who has gone misses it.
            let _ = parts.blocking_send(part);
            Ok(())
        }))
    }

    fn write(&self, statements: Vec<Statement>) -> Later<'_, ()> {
        self.writer.write(statements)
    }

    fn forget(&self) -> Later<'_, ()> {
        let path = self.path.clone();
        Box::pin(async move {
            let emptied = Handle::current().spawn_blocking(move || empty_wal(&path)).await;
            emptied.map_err(|error| DatabaseError::Engine(error.to_string()))?
        })
    }

    fn size(&self) -> Later<'_, u64> {
        let size = |end: &str| {
            let mut path = self.path.clone().into_os_string();
            path.push(end);
            fs::metadata(path).map_or(0, |file| file.len())
        };
        let all = ["", "-wal", "-shm"].map(size).iter().sum();
        Box::pin(async move { Ok(all) })
    }
}

/// Opens a file for writing.
pub(super) fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(Duration::from_secs(10))?;
    connection.pragma_update(None, "journal_mode", "wal")?;
    // What was acknowledged survives a loss of power.
    connection.pragma_update(None, "synchronous", "full")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    // What is deleted is overwritten: people can be erased.
    connection.pragma_update(None, "secure_delete", true)?;
    Ok(connection)
}

/// Reads rows on a connection of one's own.
pub(super) fn read(
    connection: &Connection,
    sql: &'static str,
    values: &[Value],
) -> Stored<Vec<Row>> {
    let mut all = Vec::new();
    each_row(connection, sql, values, |row| {
        all.push(row);
        true
    })?;
    Ok(all)
}

/// Moves what the write-ahead log holds into the file, and empties it: it has earlier pages.
fn empty_wal(path: &Path) -> Stored<()> {
    let empty = || -> rusqlite::Result<bool> {
        let connection = open_file(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))
    };
    match empty() {
        Ok(false) => Ok(()),
        Ok(true) => Err(DatabaseError::Engine("somebody still reads earlier pages".to_owned())),
        Err(error) => Err(failed(&error)),
    }
}

/// Opens a file that nobody else uses, for a copy from or to another database. Makes it if it is
/// missing, and brings its tables up to date.
pub(super) fn up_to_date(path: &Path) -> Result<Connection> {
    let mut connection = Connection::open(path)?;
    // What it is filled with fits already, in whatever order it comes.
    connection.pragma_update(None, "foreign_keys", false)?;
    migrate(&mut connection)?;
    Ok(connection)
}

/// Opens a file that is there: for reading, or to write it as well.
pub(super) fn open_file(path: &Path, access: OpenFlags) -> rusqlite::Result<Connection> {
    let flags = access | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(Duration::from_secs(10))?;
    Ok(connection)
}

/// Reads rows until there are no more, or `take` returns that it wants no more.
fn each_row(
    connection: &Connection,
    sql: &'static str,
    values: &[Value],
    mut take: impl FnMut(Row) -> bool,
) -> Stored<()> {
    let mut read = || -> rusqlite::Result<()> {
        let mut prepared = connection.prepare_cached(sql)?;
        bind(&mut prepared, values)?;
        let columns = prepared.column_count();
        let mut found = prepared.raw_query();
        while let Some(row) = found.next()? {
            let column = |at| row.get_ref(at).map(value_of);
            if !take(Row((0..columns).map(column).collect::<rusqlite::Result<_>>()?)) {
                break;
            }
        }
        Ok(())
    };
    read().map_err(|error| failed(&error))
}

/// Binds `$1`, `$2` …, which are names to SQLite.
fn bind(prepared: &mut rusqlite::Statement<'_>, values: &[Value]) -> rusqlite::Result<()> {
    for (at, value) in values.iter().enumerate() {
        if let Some(place) = prepared.parameter_index(&format!("${}", at + 1))? {
            prepared.raw_bind_parameter(place, value)?;
        }
    }
    Ok(())
}

/// Reads a value.
pub(super) fn value_of(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => Value::Int(number),
        ValueRef::Real(number) => Value::Real(number),
        ValueRef::Text(text) => Value::Text(String::from_utf8_lossy(text).into_owned()),
        ValueRef::Blob(bytes) => Value::Bytes(bytes.to_vec()),
    }
}

impl ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<rusqlite::types::ToSqlOutput<'_>> {
        Ok(match self {
            Value::Null => rusqlite::types::Null.into(),
            Value::Int(number) => (*number).into(),
            Value::TooLarge(number) => {
                let error = format!("{number} is too large for a column");
                return Err(rusqlite::Error::ToSqlConversionFailure(error.into()));
            }
            Value::Real(number) => (*number).into(),
            Value::Text(text) => text.as_str().into(),
            Value::Bytes(bytes) => bytes.as_slice().into(),
        })
    }
}

fn failed(error: &rusqlite::Error) -> DatabaseError {
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => DatabaseError::Full,
        Some(ErrorCode::ConstraintViolation) => DatabaseError::Taken,
        _ => DatabaseError::Engine(error.to_string()),
    }
}

fn migrate(connection: &mut Connection) -> Result<()> {
    connection.execute_batch(
        "CREATE TABLE IF NOT EXISTS migrations (version INTEGER PRIMARY KEY, digest TEXT NOT NULL)
         STRICT",
    )?;
    for step in missing(SQLITE, &steps_done(connection)?)? {
        let transaction = connection.transaction()?;
        transaction.execute_batch(step.sql)?;
        transaction
            .execute("INSERT INTO migrations VALUES (?1, ?2)", (step.version, step.digest()))?;
        transaction.commit()?;
    }
    Ok(())
}

/// Returns the steps that a database has had: version and digest.
pub(super) fn steps_done(connection: &Connection) -> rusqlite::Result<Vec<(i64, String)>> {
    connection
        .prepare("SELECT version, digest FROM migrations ORDER BY version")?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect()
}

/// The connection that writes.
impl Engine for Connection {
    fn write(&mut self, group: &[Transaction], _: &AtomicBool) -> Vec<Stored<()>> {
        match write_group(self, group) {
            Ok(results) => results,
            Err(error) => group.iter().map(|_| Err(failed(&error))).collect(),
        }
    }
}

fn write_group(
    connection: &mut Connection,
    group: &[Transaction],
) -> rusqlite::Result<Vec<Stored<()>>> {
    let behavior = rusqlite::TransactionBehavior::Immediate;
    let mut transaction = connection.transaction_with_behavior(behavior)?;
    let mut results = Vec::new();
    for one in group {
        let savepoint = transaction.savepoint()?;
        let result = run_all(&savepoint, one);
        // A savepoint that is dropped is rolled back.
        results.push(result.and_then(|()| savepoint.commit().map_err(|e| failed(&e))));
    }
    transaction.commit()?;
    Ok(results)
}

fn run_all(connection: &Connection, statements: &[Statement]) -> Stored<()> {
    for (number, statement) in statements.iter().enumerate() {
        let run = || -> rusqlite::Result<usize> {
            let mut prepared = connection.prepare_cached(statement.sql)?;
            bind(&mut prepared, &statement.values)?;
            prepared.raw_execute()
        };
        statement.check(number, run().map_err(|error| failed(&error))? as u64)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::database::statement;
    use crate::store::bots::{Stopped, StoppedBy, stop_unless_excluded};

    fn open() -> (tempfile::TempDir, PathBuf, Sqlite) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.db");
        let database = Sqlite::open(&path).unwrap();
        (folder, path, database)
    }

    fn put(name: &str, value: &str) -> Statement {
        statement("INSERT INTO facts (name, value) VALUES ($1, $2)", (name, value)).once()
    }

    async fn get(database: &Sqlite, name: &str) -> Option<String> {
        let sql = "SELECT value FROM facts WHERE name = $1";
        let rows = database.read(sql, vec![name.into()]).await.unwrap();
        rows.first().map(|row| row.read().unwrap())
    }

    #[tokio::test]
    async fn a_transaction_is_done_as_a_whole_or_not_at_all() {
        let (_folder, _, database) = open();
        database.write(vec![put("a", "1"), put("b", "2")]).await.unwrap();
        let twice = database.write(vec![put("c", "3"), put("a", "4")]).await;
        assert!(matches!(twice, Err(DatabaseError::Taken)), "{twice:?}");
        let change = statement("UPDATE facts SET value = $2 WHERE name = $1", ("nobody", "x"));
        let none = database.write(vec![put("d", "5"), change.once()]).await;
        assert!(matches!(none, Err(DatabaseError::Unexpected { statement: 1 })), "{none:?}");
        assert_eq!(get(&database, "a").await.as_deref(), Some("1"));
        assert_eq!((get(&database, "c").await, get(&database, "d").await), (None, None));
    }

    #[tokio::test]
    async fn one_that_fails_leaves_the_others_of_its_group_alone() {
        let (_folder, _, database) = open();
        // They gather while the first one is written.
        let all = (0..50).map(|number| {
            // Each fifth has a name that is there already.
            let name = if number % 5 == 4 { "0".to_owned() } else { number.to_string() };
            database.write(vec![put(&name, "x")])
        });
        let results = futures_util::future::join_all(all).await;
        let failed = results.iter().filter(|result| result.is_err()).count();
        assert_eq!(failed, 10);
        assert_eq!(get(&database, "48").await.as_deref(), Some("x"));
    }

    #[tokio::test]
    async fn what_was_given_is_written_before_the_end() {
        let (_folder, path, database) = open();
        // It is sent at once; nobody waits for the answer.
        drop(database.write(vec![put("late", "1")]));
        drop(database);
        let database = Sqlite::open(&path).unwrap();
        assert_eq!(get(&database, "late").await.as_deref(), Some("1"));
    }

    #[tokio::test]
    async fn what_is_deleted_is_in_no_file() {
        let (folder, _, database) = open();
        let secret = "a secret that fills pages ".repeat(1_000);
        database.write(vec![put("a", &secret), put("b", "stays")]).await.unwrap();
        let found = || {
            let files = fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().path());
            let mut bytes = files.map(|path| fs::read(path).unwrap());
            bytes.any(|bytes| bytes.windows(14).any(|part| part == b"secret that fi"))
        };
        assert!(found());
        database.forget().await.unwrap();
        assert!(found());
        let delete = statement("DELETE FROM facts WHERE name = 'a'", ()).once();
        database.write(vec![delete]).await.unwrap();
        assert!(found(), "the log still has it");
        database.forget().await.unwrap();
        assert!(!found());
        assert_eq!(get(&database, "b").await.as_deref(), Some("stays"));
    }

    #[test]
    fn an_older_ladder_gets_the_tables_of_this_one() {
        let (_folder, path, database) = open();
        drop(database);
        let connection = Connection::open(&path).unwrap();
        connection
            .execute_batch(
                r#"DROP INDEX people_by_shown;
                ALTER TABLE bots DROP COLUMN stopped_by;
                DELETE FROM migrations WHERE version > 3;
                INSERT INTO people (id, name, shown, role, created)
                    VALUES (1, 'ada', 'Ada', 'author', 0);
                INSERT INTO arenas (id, slug, title, settings, created)
                    VALUES (1, 'a', 'A', '{}', 0);
                INSERT INTO bots (id, arena, slug, name, created, stopped) VALUES
                    (1, 1, 'a', 'a', 0, NULL),
                    (2, 1, 'b', 'b', 0, '{"by":"failures","why":"it crashed","at":7}'),
                    (3, 1, 'c', 'c', 0, '{"by":"organiser","why":"it cheats","at":7}'),
                    (4, 1, 'd', 'd', 0,
                        '{"by":"organiser","why":"its author''s account is disabled","at":7}');"#,
            )
            .unwrap();
        drop(Sqlite::open(&path).unwrap());
        let bots = "SELECT stopped FROM bots WHERE id > 1 ORDER BY id";
        let stopped = read(&connection, bots, &[]).unwrap();
        let by = |row: &Row| row.read::<Stopped>().unwrap().by;
        let all = [StoppedBy::Failures, StoppedBy::Organiser, StoppedBy::Disabled];
        assert!(stopped.iter().map(by).eq(all));
        // A bot that failed plays again, and one that an organiser has stopped does not.
        let again = [1, 2, 3, 4].map(|bot| stop_unless_excluded(bot, None));
        let changed = again.map(|one| {
            let id = [("$1", &one.values[0]), ("$2", &one.values[1])];
            connection.execute(one.sql, &id).unwrap()
        });
        assert_eq!(changed, [1, 1, 0, 0]);
        let other = "INSERT INTO people (id, name, shown, role, created)
            VALUES (2, 'bob', 'ADA', 'author', 0)";
        let error = connection.execute(other, []).unwrap_err().to_string();
        assert!(error.contains("people_by_shown"), "{error}");
    }

    #[test]
    fn a_database_of_a_newer_program_is_refused() {
        let (_folder, path, database) = open();
        drop(database);
        let connection = Connection::open(&path).unwrap();
        connection.execute("INSERT INTO migrations VALUES (99, 'x')", []).unwrap();
        let error = format!("{:#}", Sqlite::open(&path).err().unwrap());
        assert!(error.contains("a newer Agon made this database"), "{error}");
        connection.execute("DELETE FROM migrations WHERE version = 99", []).unwrap();
        connection.execute("UPDATE migrations SET digest = 'x'", []).unwrap();
        let error = format!("{:#}", Sqlite::open(&path).err().unwrap());
        assert!(error.contains("another text"), "{error}");
    }

    #[test]
    fn other_files_are_no_database() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.db");
        fs::write(&path, "this is a text, and no database at all".repeat(100)).unwrap();
        let error = format!("{:#}", Sqlite::open(&path).err().unwrap());
        assert!(error.contains("x.db"), "{error}");
    }
}
