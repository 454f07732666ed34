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

pub(crate) mod copy;
mod place;
mod postgres;
mod sqlite;
mod value;

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::{future::Future, pin::Pin, sync::Arc};

use anyhow::{Result, ensure};
use thiserror::Error;
use tokio::sync::mpsc::Sender;
use tokio::sync::{mpsc, oneshot};

pub(crate) use place::{FILE, Guest, Place, check_ladder, id, set_id};
pub(crate) use postgres::{Address, Postgres, fill, save};
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
    /// Whether it must change one row: otherwise nothing of its transaction is done.
    is_once: bool,
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
    Statement { sql, values: values.values(), is_once: false }
}

impl Statement {
    /// Demands that the statement changes one row.
    pub(crate) fn once(self) -> Statement {
        Statement { is_once: true, ..self }
    }

    /// Checks that it changed as many rows as it must. It is the one with this number.
    fn check(&self, number: usize, changed: u64) -> Stored<()> {
        match self.is_once && changed != 1 {
            true => Err(DatabaseError::Unexpected { statement: number }),
            false => Ok(()),
        }
    }
}

/// The most transactions that share a sync.
const MOST: usize = 1_000;

/// What a transaction does, in order.
type Transaction = Vec<Statement>;

/// Tells whoever wants a transaction to be written what came of it.
type Reply = oneshot::Sender<Stored<()>>;

/// What writes for a kind of database.
trait Engine: Send + 'static {
    /// Writes a group, synced once; one that fails leaves the others alone. Returns a result for
    /// each transaction.
    ///
    /// If `is_ending`, it must not wait long for a server that is away.
    fn write(&mut self, group: &[Transaction], is_ending: &AtomicBool) -> Vec<Stored<()>>;
}

/// The thread that writes.
struct Writer {
    sender: Option<mpsc::UnboundedSender<(Transaction, Reply)>>,
    thread: Option<JoinHandle<()>>,
    is_ending: Arc<AtomicBool>,
}

impl Writer {
    /// Starts the thread.
    fn start(mut engine: impl Engine) -> Result<Writer> {
        let (sender, mut receiver) = mpsc::unbounded_channel::<(Transaction, Reply)>();
        let thread = thread::Builder::new().name("database".to_owned());
        let is_ending = Arc::<AtomicBool>::default();
        let told = Arc::clone(&is_ending);
        let thread = thread.spawn(move || {
            let mut received = Vec::new();
            while receiver.blocking_recv_many(&mut received, MOST) > 0 {
                let (group, replies): (Vec<_>, Vec<_>) = received.drain(..).unzip();
                for (reply, result) in replies.into_iter().zip(engine.write(&group, &told)) {
                    // Whoever asked may have given up.
                    let _ = reply.send(result);
                }
            }
        })?;
        Ok(Writer { sender: Some(sender), thread: Some(thread), is_ending })
    }

    /// Sends a transaction at once; the future waits until it is written.
    fn write(&self, transaction: Transaction) -> Later<'_, ()> {
        let (reply, answer) = oneshot::channel();
        if let Some(sender) = &self.sender {
            // If the thread has ended, the reply is dropped.
            let _ = sender.send((transaction, reply));
        }
        let gone = |_| DatabaseError::Engine("its writer has ended".to_owned());
        Box::pin(async move { answer.await.map_err(gone)? })
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

/// A step from one form of the tables to the next. It never changes once it was released: its
/// digest is in the database.
struct Migration {
    /// The form that it leads to, from 1.
    version: i64,
    /// The SQL.
    sql: &'static str,
}

/// The steps for SQLite, in order.
const SQLITE: &[Migration] = &[
    Migration { version: 1, sql: include_str!("migrations/sqlite/0001.sql") },
    Migration { version: 2, sql: include_str!("migrations/sqlite/0002.sql") },
    Migration { version: 3, sql: include_str!("migrations/sqlite/0003.sql") },
    Migration { version: 4, sql: include_str!("migrations/sqlite/0004.sql") },
    Migration { version: 5, sql: include_str!("migrations/sqlite/0005.sql") },
];

/// The steps for PostgreSQL: the same tables and columns after each, so that one can be copied to
/// the other.
const POSTGRES: &[Migration] = &[
    Migration { version: 1, sql: include_str!("migrations/postgres/0001.sql") },
    Migration { version: 2, sql: include_str!("migrations/postgres/0002.sql") },
    Migration { version: 3, sql: include_str!("migrations/postgres/0003.sql") },
    Migration { version: 4, sql: include_str!("migrations/postgres/0004.sql") },
    Migration { version: 5, sql: include_str!("migrations/postgres/0005.sql") },
];

impl Migration {
    /// Returns what tells its text from others.
    fn digest(&self) -> String {
        blake3::hash(self.sql.as_bytes()).to_hex()[..32].to_owned()
    }
}

/// Returns the steps that a database needs. `done` lists those it had: version and digest.
fn missing(all: &'static [Migration], done: &[(i64, String)]) -> Result<&'static [Migration]> {
    ensure!(
        done.len() <= all.len(),
        "a newer Agon made this database (form {}, this one knows {}); use that one",
        done.len(),
        all.len()
    );
    for (step, (version, digest)) in all.iter().zip(done) {
        ensure!(
            step.version == *version && step.digest() == *digest,
            "step {version} of the database has another text than in this Agon"
        );
    }
    Ok(&all[done.len()..])
}
