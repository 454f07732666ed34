//! Transactions, exactly once even if the server goes away meanwhile.
//!
//! If the connection breaks while a group is committed, nobody can tell from the error whether it
//! was. So each group also writes a mark of its own, and after a new connection the mark tells.
//! Only the holder of the lock writes, so the last mark is this program's.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::Result;
use futures_util::future::join_all;
use tokio::runtime::{Builder, Runtime};
use tokio::time::error::Elapsed;
use tokio::time::{sleep, timeout};
use tokio_postgres::Error;
use tracing::{error, info};

use super::connection::{Address, Connection, QUESTION, failed, has_gone};
use crate::database::{DatabaseError, Engine, Statement, Stored, Transaction};

/// How long those who wait for a write wait while the database cannot be reached.
const WAIT: Duration = Duration::from_secs(10);

/// How long to wait before another connection is tried.
const AGAIN: Duration = Duration::from_millis(250);

/// The most statements that are sent before their answers are read.
const AHEAD: usize = 25;

const MARK: &str = "INSERT INTO facts (name, value) VALUES ('last_group', $1)
    ON CONFLICT (name) DO UPDATE SET value = excluded.value";

/// What writes to a database on a server.
pub(super) struct PostgresWriter {
    address: Address,
    /// Of the thread that writes.
    runtime: Runtime,
    connection: Option<Connection>,
}

type Results = Vec<Stored<()>>;

/// Why something was not done.
enum Trouble {
    /// The connection breaks, or the database does not answer. Nothing is committed.
    Lost,
    /// The same while the group with this mark was committed: it is written or not.
    Unsure(String, Results),
    /// A statement failed or does not fit, or the database refused the group as a whole.
    Failed(DatabaseError),
}

impl PostgresWriter {
    /// Makes it; it connects when there is something to write.
    pub(super) fn start(address: &Address) -> Result<PostgresWriter> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        Ok(PostgresWriter { address: address.clone(), runtime, connection: None })
    }
}

impl Engine for PostgresWriter {
    fn write(&mut self, group: &[Transaction], is_ending: &AtomicBool) -> Results {
        let PostgresWriter { address, runtime, connection } = self;
        runtime.block_on(write(address, connection, group, is_ending))
    }
}

async fn write(
    address: &Address,
    kept: &mut Option<Connection>,
    group: &[Transaction],
    is_ending: &AtomicBool,
) -> Results {
    let until = Instant::now() + WAIT;
    let mut is_away = false;
    // The mark and results of a group that may be written.
    let mut unsure: Option<(String, Results)> = None;
    loop {
        let connection = match kept.as_mut().filter(|kept| !kept.client.is_closed()) {
            Some(connection) => connection,
            None => match Connection::open(address).await {
                Ok(connection) => kept.insert(connection),
                Err(problem) => {
                    if !is_away {
                        error!("the database {address} cannot be written: {problem:#}");
                    }
                    is_away = true;
                    // Whether the group is written will be known; until then nobody is told.
                    let must_know = unsure.is_some() && !is_ending.load(Ordering::Relaxed);
                    if !must_know && Instant::now() >= until {
                        let text = format!("it cannot be reached: {problem:#}");
                        return fail(group, &DatabaseError::Engine(text));
                    }
                    sleep(AGAIN).await;
                    continue;
                }
            },
        };
        if is_away {
            info!("the database {address} is there again");
            is_away = false;
        }
        if let Some((mark, results)) = unsure.take() {
            match timeout(QUESTION, is_marked(connection, &mark)).await {
                Ok(Ok(true)) => return results,
                Ok(Ok(false)) => {}
                Ok(Err(_)) | Err(_) => {
                    unsure = Some((mark, results));
                    *kept = None;
                    sleep(AGAIN).await;
                    continue;
                }
            }
        }
        match write_all(connection, group).await {
            Ok(results) => return results,
            Err(Trouble::Failed(error)) => return fail(group, &error),
            Err(Trouble::Lost) if Instant::now() >= until => {
                *kept = None;
                return fail(group, &DatabaseError::Engine("the connection breaks".to_owned()));
            }
            Err(Trouble::Lost) => *kept = None,
            Err(Trouble::Unsure(mark, results)) => {
                unsure = Some((mark, results));
                *kept = None;
            }
        }
    }
}

fn fail(group: &[Transaction], error: &DatabaseError) -> Results {
    group.iter().map(|_| Err(error.clone())).collect()
}

async fn is_marked(connection: &Connection, mark: &str) -> Result<bool, Error> {
    let sql = "SELECT value FROM facts WHERE name = 'last_group'";
    let row = connection.client.query_opt(sql, &[]).await?;
    Ok(row.is_some_and(|row| row.get::<_, &str>(0) == mark))
}

async fn write_all(connection: &mut Connection, group: &[Transaction]) -> Result<Results, Trouble> {
    let mark = crate::store::fresh_id().to_string();
    let done = before_commit(connection, group, &mark).await;
    if matches!(done, Err(Trouble::Failed(_))) {
        // A transaction that cannot be taken back ends with its connection.
        let _ = timeout(QUESTION, connection.client.batch_execute("ROLLBACK")).await;
    }
    let results = done?;
    match timeout(QUESTION, connection.client.batch_execute("COMMIT")).await {
        Ok(Ok(())) => Ok(results),
        // Only the database itself can say that nothing was committed.
        Ok(Err(error)) if error.as_db_error().is_some() && !has_gone(&error) => {
            Err(Trouble::Failed(failed(&error)))
        }
        _ => Err(Trouble::Unsure(mark, results)),
    }
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Trouble {
        match has_gone(&error) {
            true => Trouble::Lost,
            false => Trouble::Failed(failed(&error)),
        }
    }
}

impl From<Elapsed> for Trouble {
    fn from(_: Elapsed) -> Trouble {
        Trouble::Lost
    }
}

/// Does all of a group but to commit it.
async fn before_commit(
    connection: &mut Connection,
    group: &[Transaction],
    mark: &str,
) -> Result<Results, Trouble> {
    timeout(QUESTION, begin(connection, mark)).await??;
    let mut results = Vec::with_capacity(group.len());
    for one in group {
        results.push(timeout(QUESTION, run(connection, one)).await??);
    }
    Ok(results)
}

async fn begin(connection: &mut Connection, mark: &str) -> Result<(), Error> {
    connection.client.batch_execute("BEGIN").await?;
    let set = connection.prepare(MARK).await?;
    connection.client.execute(&set, &[&mark]).await?;
    Ok(())
}

/// Does a transaction of a group; one that fails leaves the others alone.
async fn run(connection: &mut Connection, one: &Transaction) -> Result<Stored<()>, Trouble> {
    connection.client.batch_execute("SAVEPOINT one").await?;
    let (result, end) = match run_all(connection, &one.statements).await {
        Ok(()) => (Ok(()), "RELEASE SAVEPOINT one"),
        Err(Trouble::Failed(error)) => {
            (Err(error), "ROLLBACK TO SAVEPOINT one; RELEASE SAVEPOINT one")
        }
        Err(trouble) => return Err(trouble),
    };
    connection.client.batch_execute(end).await?;
    Ok(result)
}

async fn run_all(connection: &mut Connection, statements: &[Statement]) -> Result<(), Trouble> {
    for (chunk, some) in statements.chunks(AHEAD).enumerate() {
        let mut prepared = Vec::with_capacity(some.len());
        for statement in some {
            prepared.push(connection.prepare(statement.sql).await?);
        }
        // All are sent before the first answer is awaited, in order: so few futures are polled one
        // after the other.
        let client = &connection.client;
        let sent = prepared.iter().zip(some).map(|(prepared, statement)| {
            let values = statement.values.iter();
            client.execute_raw(prepared, values)
        });
        for (number, (changed, statement)) in join_all(sent).await.into_iter().zip(some).enumerate()
        {
            let checked = statement.check(chunk * AHEAD + number, changed?);
            checked.map_err(Trouble::Failed)?;
        }
    }
    Ok(())
}
