//! A database on a server: PostgreSQL, with one connection that writes and several that read.
//!
//! Each transaction is written exactly once, even if the server goes away meanwhile. If the
//! connection breaks while a group is committed, nobody can tell from the error whether it was. So
//! each group also writes a mark of its own, and after a new connection the mark tells. Only the
//! holder of the lock writes, so the last mark is this program's.
//!
//! | module | contents |
//! | --- | --- |
//! | `connection` | [`Address`]: where it is; connections, their errors, and the one that writes |
//! | `transfer` | from such a database to a file of SQLite, and back |

mod connection;
mod transfer;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use std::{error::Error, pin::pin};

use anyhow::{Context, Result};
use bytes::BytesMut;
use deadpool_postgres::{
    ClientWrapper, Manager, ManagerConfig, Object, Pool, RecyclingMethod, Runtime,
};
use futures_util::{TryStreamExt, future::join_all};
use tokio::runtime;
use tokio::sync::mpsc::Sender;
use tokio::time::{Instant, error::Elapsed, sleep, timeout, timeout_at};
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};
use tokio_postgres::{Error as PostgresError, RowStream};
use tracing::{error, info};

use self::connection::{CONNECT, QUESTION, causes, connect_to_write, has_gone, migrate};
use super::{
    Database, DatabaseError, Engine, Later, PART, Row, Statement, Stored, Transaction, Value,
    Writer,
};

pub(crate) use connection::Address;
pub(crate) use transfer::{fill, save};

pub(super) use connection::{check_form, connect, failed};

/// The most reading connections.
const READERS: usize = 8;

/// A database on a server.
pub(crate) struct Postgres {
    writer: Writer,
    readers: Pool,
}

impl Postgres {
    /// Connects to a database that no other program uses, and brings its tables up to date.
    pub(crate) async fn open(address: &Address) -> Result<Postgres> {
        let shown = || format!("the database {address}");
        let mut client = connect_to_write(address).await.with_context(shown)?;
        migrate(&mut client).await.with_context(shown)?;
        // The thread that writes has a connection of its own, which gets this one's lock.
        drop(client);
        let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
        let engine = PostgresWriter { address: address.clone(), runtime, client: None };
        let writer = Writer::start(engine)?;
        let manager = Manager::from_config(
            address.for_reading(),
            address.tls(),
            // A connection that is dead is noticed when it is used, and the question asked again.
            ManagerConfig { recycling_method: RecyclingMethod::Fast },
        );
        let readers = Pool::builder(manager)
            .max_size(READERS)
            .runtime(Runtime::Tokio1)
            .create_timeout(Some(CONNECT))
            .wait_timeout(Some(QUESTION))
            .build()?;
        Ok(Postgres { writer, readers })
    }

    /// Asks, and returns the rows as they come, with the connection on which they do.
    async fn ask(
        &self,
        sql: &'static str,
        values: &[Value],
        until: Instant,
    ) -> Stored<(Object, RowStream)> {
        // The server may have started again since the last question.
        for is_last in [false, true] {
            let connection =
                timeout_at(until, self.readers.get()).await.map_err(|_| silent(None))?;
            let connection = connection.map_err(|error| {
                DatabaseError::Engine(format!("it cannot be reached: {}", causes(&error)))
            })?;
            let asked = async {
                let statement = connection.prepare_cached(sql).await?;
                connection.query_raw(&statement, values).await
            };
            match timeout_at(until, asked).await {
                Ok(Ok(rows)) => return Ok((connection, rows)),
                Ok(Err(error)) if is_last || !has_gone(&error) => return Err(failed(&error)),
                Ok(Err(_)) => {}
                Err(_) => return Err(silent(Some(connection))),
            }
        }
        unreachable!("the last round returns")
    }

    /// Reads rows, and returns them. If somebody takes parts, sends them there as they come.
    async fn rows(
        &self,
        sql: &'static str,
        values: &[Value],
        parts: Option<Sender<Vec<Row>>>,
    ) -> Stored<Vec<Row>> {
        let until = Instant::now() + QUESTION;
        let (connection, rows) = self.ask(sql, values, until).await?;
        let mut rows = pin!(rows);
        let mut read = Vec::new();
        loop {
            // Of parts there may be any number.
            let until = if parts.is_some() { Instant::now() + QUESTION } else { until };
            match timeout_at(until, rows.try_next()).await {
                Ok(Ok(Some(row))) => read.push(row_of(&row)?),
                Ok(Ok(None)) => break,
                Ok(Err(error)) => return Err(failed(&error)),
                Err(_) => return Err(silent(Some(connection))),
            }
            if let Some(parts) = parts.as_ref().filter(|_| read.len() == PART)
                && parts.send(std::mem::take(&mut read)).await.is_err()
            {
                // Nobody takes them any more.
                break;
            }
        }
        if let Some(parts) = parts {
            // Nobody who has gone misses it.
            let _ = parts.send(std::mem::take(&mut read)).await;
        }
        Ok(read)
    }
}

/// Returns the error that there was no answer in time, and gives up the connection: what it does
/// for this question is of no use to others.
fn silent(connection: Option<Object>) -> DatabaseError {
    if let Some(connection) = connection {
        drop(Object::take(connection));
    }
    DatabaseError::Engine(format!("no answer within {} s", QUESTION.as_secs()))
}

impl Database for Postgres {
    fn read(&self, sql: &'static str, values: Vec<Value>) -> Later<'_, Vec<Row>> {
        Box::pin(async move { self.rows(sql, &values, None).await })
    }

    fn read_in_parts(
        &self,
        sql: &'static str,
        values: Vec<Value>,
        parts: Sender<Vec<Row>>,
    ) -> Later<'_, ()> {
        Box::pin(async move { self.rows(sql, &values, Some(parts)).await.map(drop) })
    }

    fn write(&self, statements: Vec<Statement>) -> Later<'_, ()> {
        self.writer.write(statements)
    }

    fn forget(&self) -> Later<'_, ()> {
        // The files belong to the server, which reuses their room by itself.
        Box::pin(async { Ok(()) })
    }

    fn size(&self) -> Later<'_, u64> {
        Box::pin(async {
            let rows = self.rows("SELECT pg_database_size(current_database())", &[], None).await?;
            rows.first().map_or(Ok(0), Row::read)
        })
    }
}

/// Reads a row.
pub(in crate::database) fn row_of(row: &tokio_postgres::Row) -> Stored<Row> {
    let values = (0..row.len()).map(|at| row.try_get(at));
    Ok(Row(values.collect::<Result<_, _>>().map_err(|error| failed(&error))?))
}

impl<'a> FromSql<'a> for Value {
    fn from_sql(of: &Type, raw: &'a [u8]) -> Result<Value, Box<dyn Error + Sync + Send>> {
        Ok(match *of {
            Type::INT8 => Value::Int(i64::from_sql(of, raw)?),
            Type::INT4 => Value::Int(i32::from_sql(of, raw)?.into()),
            Type::BOOL => Value::Int(bool::from_sql(of, raw)?.into()),
            Type::FLOAT8 => Value::Real(f64::from_sql(of, raw)?),
            Type::TEXT | Type::VARCHAR | Type::NAME => Value::Text(String::from_sql(of, raw)?),
            Type::BYTEA => Value::Bytes(Vec::from_sql(of, raw)?),
            _ => return Err(format!("a column has the type {of}").into()),
        })
    }

    fn from_sql_null(_: &Type) -> Result<Value, Box<dyn Error + Sync + Send>> {
        Ok(Value::Null)
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

impl ToSql for Value {
    fn to_sql(
        &self,
        of: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match (self, of) {
            (Value::Null, _) => Ok(IsNull::Yes),
            (Value::Int(number), &Type::INT4) => i32::try_from(*number)?.to_sql(of, out),
            (Value::Int(number), &Type::FLOAT8) => (*number as f64).to_sql(of, out),
            (Value::Int(number), &Type::INT8) => number.to_sql(of, out),
            (Value::Real(number), &Type::FLOAT8) => number.to_sql(of, out),
            (Value::Text(text), &(Type::TEXT | Type::VARCHAR | Type::NAME)) => text.to_sql(of, out),
            (Value::Bytes(bytes), &Type::BYTEA) => bytes.to_sql(of, out),
            _ => Err(format!("{self:?} is no {of}").into()),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

/// How long those who wait for a write wait while the database cannot be reached.
const WAIT: Duration = Duration::from_secs(10);

/// How long to wait before another connection is tried.
const AGAIN: Duration = Duration::from_millis(250);

/// The most statements that are sent before their answers are read.
const AHEAD: usize = 25;

const MARK: &str = "INSERT INTO facts (name, value) VALUES ('last_group', $1)
    ON CONFLICT (name) DO UPDATE SET value = excluded.value";

/// What writes to a database on a server. It connects when there is something to write.
struct PostgresWriter {
    address: Address,
    /// Of the thread that writes.
    runtime: runtime::Runtime,
    client: Option<ClientWrapper>,
}

type Results = Vec<Stored<()>>;

/// Why something was not done.
enum Trouble {
    /// The database cannot be reached, does not answer, or the connection breaks: in words.
    Lost(String),
    /// A statement failed or does not fit, or the database refused the group as a whole.
    Failed(DatabaseError),
}

impl Engine for PostgresWriter {
    fn write(&mut self, group: &[Transaction], is_ending: &AtomicBool) -> Results {
        let PostgresWriter { address, runtime, client } = self;
        runtime.block_on(write(address, client, group, is_ending))
    }
}

async fn write(
    address: &Address,
    kept: &mut Option<ClientWrapper>,
    group: &[Transaction],
    is_ending: &AtomicBool,
) -> Results {
    let until = Instant::now() + WAIT;
    let mut is_away = false;
    let mut unsure = None;
    loop {
        let results = match attempt(address, kept, group, &mut unsure).await {
            Ok(results) => results,
            Err(Trouble::Failed(error)) => fail(group, &error),
            Err(Trouble::Lost(problem)) => {
                *kept = None;
                if !is_away {
                    error!("the database {address} cannot be written: {problem}");
                }
                is_away = true;
                // Whether the group is written will be known; until then nobody is told.
                let must_know = unsure.is_some() && !is_ending.load(Ordering::Relaxed);
                if !must_know && Instant::now() >= until {
                    return fail(group, &DatabaseError::Engine(problem));
                }
                sleep(AGAIN).await;
                continue;
            }
        };
        if is_away {
            info!("the database {address} is there again");
        }
        return results;
    }
}

fn fail(group: &[Transaction], error: &DatabaseError) -> Results {
    group.iter().map(|_| Err(error.clone())).collect()
}

/// Writes a group once. If the connection breaks while it is committed, `unsure` has its mark and
/// its results; then it may be written, and the next attempt finds out.
async fn attempt(
    address: &Address,
    kept: &mut Option<ClientWrapper>,
    group: &[Transaction],
    unsure: &mut Option<(String, Results)>,
) -> Result<Results, Trouble> {
    let client = match kept.take().filter(|client| !client.is_closed()) {
        Some(client) => kept.insert(client),
        None => {
            let opened = connect_to_write(address).await;
            kept.insert(opened.map_err(|problem| Trouble::Lost(format!("{problem:#}")))?)
        }
    };
    if let Some((mark, _)) = unsure {
        let sql = "SELECT value FROM facts WHERE name = 'last_group'";
        let row = timeout(QUESTION, client.query_opt(sql, &[])).await?;
        // Whatever is wrong: it is not known yet.
        let row = row.map_err(|_| broken())?;
        let is_written = row.is_some_and(|row| row.get::<_, &str>(0) == mark);
        if let Some((_, results)) = unsure.take().filter(|_| is_written) {
            return Ok(results);
        }
    }
    let mark = crate::store::fresh_id().to_string();
    let done = before_commit(client, group, &mark).await;
    if matches!(done, Err(Trouble::Failed(_))) {
        // A transaction that cannot be taken back ends with its connection.
        let _ = timeout(QUESTION, client.batch_execute("ROLLBACK")).await;
    }
    let results = done?;
    match timeout(QUESTION, client.batch_execute("COMMIT")).await {
        Ok(Ok(())) => Ok(results),
        // Only the database itself can say that nothing was committed.
        Ok(Err(error)) if error.as_db_error().is_some() && !has_gone(&error) => {
            Err(Trouble::Failed(failed(&error)))
        }
        _ => {
            *unsure = Some((mark, results));
            Err(broken())
        }
    }
}

fn broken() -> Trouble {
    Trouble::Lost("the connection breaks".to_owned())
}

impl From<PostgresError> for Trouble {
    fn from(error: PostgresError) -> Trouble {
        match has_gone(&error) {
            true => broken(),
            false => Trouble::Failed(failed(&error)),
        }
    }
}

impl From<Elapsed> for Trouble {
    fn from(_: Elapsed) -> Trouble {
        broken()
    }
}

/// Does all of a group but to commit it.
async fn before_commit(
    client: &ClientWrapper,
    group: &[Transaction],
    mark: &str,
) -> Result<Results, Trouble> {
    let begin = async {
        client.batch_execute("BEGIN").await?;
        let set = client.prepare_cached(MARK).await?;
        client.execute(&set, &[&mark]).await
    };
    timeout(QUESTION, begin).await??;
    let mut results = Vec::with_capacity(group.len());
    for one in group {
        results.push(timeout(QUESTION, run(client, one)).await??);
    }
    Ok(results)
}

/// Does a transaction of a group; one that fails leaves the others alone.
async fn run(client: &ClientWrapper, one: &[Statement]) -> Result<Stored<()>, Trouble> {
    client.batch_execute("SAVEPOINT one").await?;
    let (result, end) = match run_all(client, one).await {
        Ok(()) => (Ok(()), "RELEASE SAVEPOINT one"),
        Err(Trouble::Failed(error)) => {
            (Err(error), "ROLLBACK TO SAVEPOINT one; RELEASE SAVEPOINT one")
        }
        Err(trouble) => return Err(trouble),
    };
    client.batch_execute(end).await?;
    Ok(result)
}

async fn run_all(client: &ClientWrapper, statements: &[Statement]) -> Result<(), Trouble> {
    for (chunk, some) in statements.chunks(AHEAD).enumerate() {
        let mut prepared = Vec::with_capacity(some.len());
        for statement in some {
            prepared.push(client.prepare_cached(statement.sql).await?);
        }
        // All are sent before the first answer is awaited, in order: so few futures are polled one
        // after the other.
        let sent = prepared.iter().zip(some);
        let sent = sent.map(|(prepared, one)| client.execute_raw(prepared, one.values.iter()));
        for (number, (changed, one)) in join_all(sent).await.into_iter().zip(some).enumerate() {
            let checked = one.check(chunk * AHEAD + number, changed?);
            checked.map_err(Trouble::Failed)?;
        }
    }
    Ok(())
}
