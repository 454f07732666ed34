//! A database on a server: PostgreSQL, with one connection that writes and several that read.
//!
//! | module | contents |
//! | --- | --- |
//! | `connection` | [`Address`]: where it is; connections, their errors, and the one that writes |
//! | `engine` | transactions, exactly once even if the server goes away meanwhile |
//! | `transfer` | from such a database to a file of SQLite, and back |

mod connection;
mod engine;
mod transfer;

use std::{error::Error, pin::pin};

use anyhow::{Context, Result};
use bytes::BytesMut;
use deadpool_postgres::{Manager, ManagerConfig, Object, Pool, RecyclingMethod, Runtime};
use futures_util::TryStreamExt;
use tokio::sync::mpsc::Sender;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};
use tokio_postgres::{Column, RowStream};

use self::connection::{CONNECT, Connection, QUESTION, causes, has_gone};
use self::engine::PostgresWriter;
use super::{Database, DatabaseError, Later, PART, Row, Statement, Stored, Value, Writer};

pub(crate) use connection::Address;
pub(crate) use transfer::{RESTORED, fill, finish, save};

pub(super) use connection::{Driver, check_form, connect, failed};

/// The most reading connections.
const READERS: usize = 8;

/// A database on a server.
pub(crate) struct Postgres {
    writer: Writer,
    readers: Pool,
}

impl Postgres {
    /// Connects to a database, and brings its tables up to date.
    ///
    /// # Errors
    /// If it cannot be reached or used, another program uses it, or a newer one made it.
    pub(crate) async fn open(address: &Address) -> Result<Postgres> {
        let shown = || format!("the database {address}");
        let mut connection = Connection::open(address).await.with_context(shown)?;
        connection.migrate().await.with_context(shown)?;
        // The thread that writes has a connection of its own, which gets this one's lock.
        drop(connection);
        let writer = Writer::start(PostgresWriter::start(address).with_context(shown)?)?;
        let manager = Manager::from_config(
            address.for_reading(),
            address.tls()?,
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

    async fn read_all(&self, sql: &'static str, values: &[Value]) -> Stored<Vec<Row>> {
        let until = Instant::now() + QUESTION;
        let (connection, rows) = self.ask(sql, values, until).await?;
        match timeout_at(until, rows.try_collect::<Vec<_>>()).await {
            Ok(rows) => rows_of(&rows.map_err(|error| failed(&error))?),
            Err(_) => Err(silent(Some(connection))),
        }
    }

    /// Sends the rows of an answer in parts, as they come.
    async fn pass(
        &self,
        sql: &'static str,
        values: &[Value],
        parts: &Sender<Vec<Row>>,
    ) -> Stored<()> {
        let (connection, rows) = self.ask(sql, values, Instant::now() + QUESTION).await?;
        let mut rows = pin!(rows);
        let mut part = Vec::with_capacity(PART);
        loop {
            match timeout(QUESTION, rows.try_next()).await {
                Ok(Ok(Some(row))) => part.push(row_of(&row)?),
                Ok(Ok(None)) => break,
                Ok(Err(error)) => return Err(failed(&error)),
                Err(_) => return Err(silent(Some(connection))),
            }
            if part.len() == PART && parts.send(std::mem::take(&mut part)).await.is_err() {
                return Ok(());
            }
        }
        // Nobody who has gone misses it.
        let _ = parts.send(part).await;
        Ok(())
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
        Box::pin(async move { self.read_all(sql, &values).await })
    }

    fn read_in_parts(
        &self,
        sql: &'static str,
        values: Vec<Value>,
        parts: Sender<Vec<Row>>,
    ) -> Later<'_, ()> {
        Box::pin(async move { self.pass(sql, &values, &parts).await })
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
            let rows = self.read_all("SELECT pg_database_size(current_database())", &[]).await?;
            rows.first().map_or(Ok(0), Row::read)
        })
    }
}

/// Reads rows.
pub(super) fn rows_of(rows: &[tokio_postgres::Row]) -> Stored<Vec<Row>> {
    rows.iter().map(row_of).collect()
}

/// Reads a row.
pub(super) fn row_of(row: &tokio_postgres::Row) -> Stored<Row> {
    let values = row.columns().iter().enumerate().map(|(at, column)| value_of(row, at, column));
    Ok(Row(values.collect::<Result<_, _>>()?))
}

fn value_of(row: &tokio_postgres::Row, at: usize, column: &Column) -> Stored<Value> {
    fn get<'a, T: FromSql<'a>>(
        row: &'a tokio_postgres::Row,
        at: usize,
        make: impl FnOnce(T) -> Value,
    ) -> Stored<Value> {
        let value: Option<T> = row.try_get(at).map_err(|error| failed(&error))?;
        Ok(value.map_or(Value::Null, make))
    }
    match *column.type_() {
        Type::INT8 => get(row, at, Value::Int),
        Type::INT4 => get(row, at, |number: i32| Value::Int(number.into())),
        Type::BOOL => get(row, at, |whether: bool| Value::Int(whether.into())),
        Type::FLOAT8 => get(row, at, Value::Real),
        Type::TEXT | Type::VARCHAR | Type::NAME => get(row, at, Value::Text),
        Type::BYTEA => get(row, at, Value::Bytes),
        ref other => {
            let text = format!("the column `{}` has the type {other}", column.name());
            Err(DatabaseError::Engine(text))
        }
    }
}

/// Returns values as the library takes them.
pub(super) fn refs(values: &[Value]) -> Vec<&(dyn ToSql + Sync)> {
    values.iter().map(|value| value as &(dyn ToSql + Sync)).collect()
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
