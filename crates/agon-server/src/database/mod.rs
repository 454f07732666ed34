//! The database, below all that the server keeps in it: rows, transactions, migrations.
//!
//! The modules of `store` say what is kept; they use the trait [`Database`] and SQL that every
//! engine understands. For both engines a thread writes: transactions of several people share a
//! sync. While one group is written, the next gathers. Nobody waits for others to come.
//!
//! | module | contents |
//! | --- | --- |
//! | `sqlite` | [`Sqlite`]: a file, with one writer and several readers |
//! | `postgres` | [`Postgres`]: a server, the same way |
//! | `place` | [`Place`]: where a ladder's tables are; [`Guest`]: beside a server that runs |
//! | `copy` | copies, which are files of SQLite, and what they name |
//! | `value` | [`Value`], [`Row`]: values of columns, and what they become |
//! | `migrations` | the forms that the tables have had |

pub(crate) mod copy;
mod migrations;
mod place;
mod postgres;
mod sqlite;
mod value;

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::{future::Future, pin::Pin, sync::Arc};

use anyhow::Result;
use thiserror::Error;
use tokio::sync::mpsc::Sender;
use tokio::sync::{mpsc, oneshot};

pub(crate) use place::{FILE, Guest, Place, check_ladder, id, set_id};
pub(crate) use postgres::{Address, Postgres, fill, finish, save};
pub(crate) use sqlite::Sqlite;
pub(crate) use value::{
    Column, FromRow, Params, Row, Value, json_column, name_column, parsed, row,
};

/// Rows of a part: see [`Database::read_in_parts`].
const PART: usize = 2_000;

/// What uses of a database return.
pub(crate) type Stored<T> = Result<T, DatabaseError>;

/// What a method of [`Database`] returns.
pub(crate) type Later<'a, T> = Pin<Box<dyn Future<Output = Stored<T>> + Send + 'a>>;

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
    fn read(&self, sql: &'static str, values: Vec<Value>) -> Later<'_, Vec<Row>>;

    /// Reads rows and sends them in parts, all as they are at one moment: they may be more than fit
    /// into memory. Ends early if nobody takes them any more.
    fn read_in_parts(
        &self,
        sql: &'static str,
        values: Vec<Value>,
        parts: Sender<Vec<Row>>,
    ) -> Later<'_, ()>;

    /// Writes all statements or none, and syncs them.
    fn write(&self, statements: Vec<Statement>) -> Later<'_, ()>;

    /// Has the files of the database hold no more what was deleted before, as far as they are this
    /// program's.
    fn forget(&self) -> Later<'_, ()>;

    /// Returns how much room it takes, in bytes.
    fn size(&self) -> Later<'_, u64>;
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
    fn check(&self, number: usize, changed: u64) -> Stored<()> {
        match self.expected.is_none_or(|expected| expected == changed) {
            true => Ok(()),
            false => Err(DatabaseError::Unexpected { statement: number }),
        }
    }
}

/// The most transactions that share a sync.
const MOST: usize = 1_000;

/// What writes for a kind of database.
trait Engine: Send + 'static {
    /// Writes a group, synced once; one that fails leaves the others alone. Returns a result for
    /// each transaction.
    ///
    /// If `is_ending`, it must not wait long for a server that is away.
    fn write(&mut self, group: &[Transaction], is_ending: &AtomicBool) -> Vec<Stored<()>>;
}

/// A transaction that somebody wants to be written.
struct Transaction {
    /// What it does, in order.
    statements: Vec<Statement>,
    reply: oneshot::Sender<Stored<()>>,
}

/// The thread that writes.
struct Writer {
    sender: Option<mpsc::UnboundedSender<Transaction>>,
    thread: Option<JoinHandle<()>>,
    is_ending: Arc<AtomicBool>,
}

impl Writer {
    /// Starts the thread.
    fn start(engine: impl Engine) -> Result<Writer> {
        let (sender, receiver) = mpsc::unbounded_channel();
        let thread = thread::Builder::new().name("database".to_owned());
        let is_ending = Arc::<AtomicBool>::default();
        let told = Arc::clone(&is_ending);
        let thread = thread.spawn(move || run(engine, receiver, &told))?;
        Ok(Writer { sender: Some(sender), thread: Some(thread), is_ending })
    }

    /// Sends a transaction at once; the future waits until it is written.
    fn write(&self, statements: Vec<Statement>) -> Later<'_, ()> {
        let (reply, answer) = oneshot::channel();
        let transaction = Transaction { statements, reply };
        let sent = self.sender.as_ref().is_some_and(|sender| sender.send(transaction).is_ok());
        let gone = || DatabaseError::Engine("its writer has ended".to_owned());
        Box::pin(async move {
            match sent {
                true => answer.await.map_err(|_| gone())?,
                false => Err(gone()),
            }
        })
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        // It writes all that it was given, and ends.
        self.is_ending.store(true, Ordering::Relaxed);
        self.sender.take();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn run(
    mut engine: impl Engine,
    mut receiver: mpsc::UnboundedReceiver<Transaction>,
    is_ending: &AtomicBool,
) {
    let mut group = Vec::new();
    while receiver.blocking_recv_many(&mut group, MOST) > 0 {
        let results = engine.write(&group, is_ending);
        for (transaction, result) in group.drain(..).zip(results) {
            // Whoever asked may have given up.
            let _ = transaction.reply.send(result);
        }
    }
}
