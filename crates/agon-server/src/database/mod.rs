//! The database, below all that the server keeps in it: rows, transactions, migrations.
//!
//! The modules of `store` say what is kept; they use the trait [`Database`] and SQL that every
//! engine understands.
//!
//! | module | contents |
//! | --- | --- |
//! | `sqlite` | [`Sqlite`]: a file, with one writer and several readers |
//! | `postgres` | [`Postgres`]: a server, the same way |
//! | `writer` | the thread that writes, for both |
//! | `place` | [`Place`]: where a ladder's tables are |
//! | `guest` | [`Guest`]: reads and writes beside a server that runs |
//! | `copy` | copies, which are files of SQLite, and what they name |
//! | `value` | [`Value`], [`Row`]: values of columns, and what they become |
//! | `migrations` | the forms that the tables have had |

pub(crate) mod copy;
mod guest;
mod migrations;
mod place;
mod postgres;
mod sqlite;
mod value;
mod writer;

use std::{future::Future, pin::Pin};

use thiserror::Error;
use tokio::sync::mpsc::Sender;

pub(crate) use guest::Guest;
pub(crate) use place::{FILE, Place, id, set_id};
pub(crate) use postgres::{Address, Postgres, fill, finish, save};
pub(crate) use sqlite::Sqlite;
pub(crate) use value::{Column, FromRow, Params, Row, Value, json_column, parsed, row};

/// Rows of a part: see [`Database::read_in_parts`].
const PART: usize = 2_000;

/// What a method of [`Database`] returns.
pub(crate) type Later<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A statement of a transaction.
#[derive(Clone, Debug)]
pub(crate) struct Statement {
    /// The SQL, with `$1`, `$2` … for the values.
    pub(crate) sql: &'static str,
    /// The values.
    pub(crate) values: Vec<Value>,
    /// How many rows it must change; `None` if any number will do.
    ///
    /// If it changes another number, nothing of its transaction is done.
    pub(crate) expected: Option<u64>,
}

/// Why the database did not do what it was asked to do.
#[derive(Clone, Debug, Error)]
pub(crate) enum DatabaseError {
    /// A statement changed another number of rows than expected: somebody was faster, or what it is
    /// about is not there. Nothing was written.
    #[error("statement {statement} of the transaction does not fit what the database holds")]
    Unexpected {
        /// The number of the statement, from 0.
        statement: usize,
    },
    /// What must be there once is there already. Nothing was written.
    #[error("it is there already")]
    Taken,
    /// The disk is full. Nothing was written.
    #[error("the disk with the database is full; make room, nothing was lost")]
    Full,
    /// The engine failed.
    #[error("the database fails: {0}")]
    Engine(String),
}

/// A database. Each transaction is durable when its future is ready.
pub(crate) trait Database: Send + Sync {
    /// Reads rows.
    fn read(
        &self,
        sql: &'static str,
        values: Vec<Value>,
    ) -> Later<'_, Result<Vec<Row>, DatabaseError>>;

    /// Reads rows and sends them in parts, all as they are at one moment: they may be more than fit
    /// into memory. Ends early if nobody takes them any more.
    fn read_in_parts(
        &self,
        sql: &'static str,
        values: Vec<Value>,
        parts: Sender<Vec<Row>>,
    ) -> Later<'_, Result<(), DatabaseError>>;

    /// Writes all statements or none, and syncs them.
    fn write(&self, statements: Vec<Statement>) -> Later<'_, Result<(), DatabaseError>>;

    /// Has the files of the database hold no more what was deleted before, as far as they are this
    /// program's.
    fn forget(&self) -> Later<'_, Result<(), DatabaseError>>;

    /// Returns how much room it takes, in bytes.
    fn size(&self) -> Later<'_, Result<u64, DatabaseError>>;
}

/// Makes a statement that may change any number of rows.
pub(crate) fn statement(sql: &'static str, values: impl Params) -> Statement {
    Statement { sql, values: values.values(), expected: None }
}

impl Statement {
    /// Demands that the statement changes one row.
    pub(crate) fn once(self) -> Statement {
        Statement { expected: Some(1), ..self }
    }

    /// Checks that it changed as many rows as it must. It is the one with this number.
    fn check(&self, number: usize, changed: u64) -> Result<(), DatabaseError> {
        match self.expected {
            Some(expected) if expected != changed => {
                Err(DatabaseError::Unexpected { statement: number })
            }
            _ => Ok(()),
        }
    }
}
