//! Connections: how long to wait for them, what their errors mean, and the one that writes, which
//! keeps other programs from it.
//!
//! A server whose processes are stopped, or whose disk hangs, takes connections and answers
//! nothing. Nobody waits for it much longer than these times.

use std::{
    collections::BTreeMap,
    io,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, anyhow, bail, ensure};
use tokio::{
    task::JoinHandle,
    time::{sleep, timeout},
};
use tokio_postgres::{Client, Config, Error, GenericClient, Statement};

use super::address::Address;
use crate::database::{
    DatabaseError,
    migrations::{POSTGRES, missing},
};

/// How long a connection may take.
pub(super) const CONNECT: Duration = Duration::from_secs(5);

/// How long a question may take, with the wait for a free connection; and each transaction of a
/// group that is written.
pub(super) const QUESTION: Duration = Duration::from_secs(20);

/// How long a connection that writes waits for the lock: a server that ended just now may still
/// have it.
pub(super) const LOCKED: Duration = Duration::from_secs(10);

/// The lock of those who write, one in each database: "agon" in ASCII.
const LOCK: i64 = 0x6167_6f6e;

/// The oldest release of PostgreSQL with all that is used here.
const OLDEST: i32 = 130_000;

/// A connection that writes. While it is there, no other one writes.
pub(super) struct Connection {
    pub(super) client: Client,
    statements: BTreeMap<&'static str, Statement>,
    _driver: Driver,
}

/// The task behind a connection, which ends with it.
pub(crate) struct Driver(JoinHandle<()>);

impl Drop for Driver {
    fn drop(&mut self) {
        // The server frees the lock when it notices.
        self.0.abort();
    }
}

/// Connects.
///
/// # Errors
/// If the database cannot be reached.
pub(crate) async fn connect(address: &Address, config: &Config) -> Result<(Client, Driver)> {
    let (client, driver) = config.connect(address.tls()?).await.map_err(|error| {
        let text = causes(&error);
        match error.code() {
            Some(_) => anyhow!(text),
            None if text.contains("TLS") => {
                anyhow!("{text}; if the network is safe, add `sslmode=disable` to the address")
            }
            None => anyhow!("it cannot be reached: {text}"),
        }
    })?;
    // Its errors are also those of the client.
    Ok((client, Driver(tokio::spawn(async { drop(driver.await) }))))
}

impl Connection {
    /// Connects, and takes the lock.
    ///
    /// # Errors
    /// If the database cannot be reached or used, or another program uses it.
    pub(super) async fn open(address: &Address) -> Result<Connection> {
        let opened = async {
            let (client, driver) = connect(address, &address.for_writing()).await?;
            let connection = Connection { client, statements: BTreeMap::new(), _driver: driver };
            connection.check().await?;
            connection.lock().await?;
            Ok(connection)
        };
        // A server that is stopped, but not gone, accepts connections and never answers.
        let limit = CONNECT + LOCKED;
        let silent = || format!("it takes connections, but has not answered for {limit:?}");
        timeout(limit, opened).await.with_context(silent)?
    }

    async fn check(&self) -> Result<()> {
        let sql = "SELECT current_setting('server_version_num')::int, \
            current_setting('server_encoding')";
        let row = self.client.query_one(sql, &[]).await?;
        let (version, encoding): (i32, String) = (row.get(0), row.get(1));
        ensure!(version >= OLDEST, "PostgreSQL 13 or later is needed, this is {version}");
        ensure!(encoding == "UTF8", "it must be made with the encoding UTF8, not {encoding}");
        Ok(())
    }

    async fn lock(&self) -> Result<()> {
        let until = Instant::now() + LOCKED;
        loop {
            let row = self.client.query_one("SELECT pg_try_advisory_lock($1)", &[&LOCK]).await?;
            if row.get(0) {
                return Ok(());
            }
            if Instant::now() >= until {
                bail!("another server uses it; stop that one, or name another database");
            }
            sleep(Duration::from_millis(100)).await;
        }
    }

    /// Brings the tables up to date.
    ///
    /// # Errors
    /// If a newer program made them, or the database fails.
    pub(super) async fn migrate(&mut self) -> Result<()> {
        let table = "CREATE TABLE IF NOT EXISTS migrations
            (version BIGINT PRIMARY KEY, digest TEXT NOT NULL)";
        let made = self.client.batch_execute(table).await;
        made.context("tables cannot be made; may the user do this?")?;
        let done = steps_done(&self.client).await?;
        for step in missing(POSTGRES, &done)? {
            let transaction = self.client.transaction().await?;
            transaction.batch_execute(step.sql).await.context("the tables cannot be made")?;
            let sql = "INSERT INTO migrations VALUES ($1, $2)";
            transaction.execute(sql, &[&step.version, &step.digest()]).await?;
            transaction.commit().await?;
        }
        Ok(())
    }

    /// Prepares a statement, unless it is prepared.
    pub(super) async fn prepare(&mut self, sql: &'static str) -> Result<Statement, Error> {
        if let Some(statement) = self.statements.get(sql) {
            return Ok(statement.clone());
        }
        let statement = self.client.prepare(sql).await?;
        self.statements.insert(sql, statement.clone());
        Ok(statement)
    }
}

/// Makes the error that no connection can be had.
pub(super) fn unreachable(error: &deadpool_postgres::PoolError) -> DatabaseError {
    DatabaseError::Engine(format!("it cannot be reached: {}", causes(error)))
}

/// Returns whether the connection is of no use any more, rather than a statement wrong.
pub(super) fn has_gone(error: &Error) -> bool {
    let is_broken =
        || std::error::Error::source(error).is_some_and(|cause| cause.is::<io::Error>());
    // Class 57P: the server stops, has crashed, or does not take connections yet.
    let is_stopping = || error.code().is_some_and(|code| code.code().starts_with("57P"));
    error.is_closed() || is_broken() || is_stopping()
}

/// Returns what the error of a statement means for whoever asked.
pub(crate) fn failed(error: &Error) -> DatabaseError {
    match error.code().map(|code| code.code()) {
        // Class 23: a constraint.
        Some(code) if code.starts_with("23") => DatabaseError::Taken,
        Some("53100") => DatabaseError::Full,
        _ => DatabaseError::Engine(causes(error)),
    }
}

/// Writes an error with its causes.
pub(super) fn causes(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text = format!("{text}: {cause_text}");
        }
        next = cause.source();
    }
    text
}

/// Returns the steps that the tables have had: version and digest.
pub(super) async fn steps_done(client: &impl GenericClient) -> Result<Vec<(i64, String)>> {
    let sql = "SELECT version, digest FROM migrations ORDER BY version";
    let rows = client.query(sql, &[]).await.context("it has no ladder")?;
    Ok(rows.iter().map(|row| (row.get(0), row.get(1))).collect())
}

/// Checks that the tables have the form that this program knows.
pub(crate) async fn check_form(client: &impl GenericClient) -> Result<()> {
    let is_old = !missing(POSTGRES, &steps_done(client).await?)?.is_empty();
    ensure!(!is_old, "an older Agon made it; start the server once with this one");
    Ok(())
}
