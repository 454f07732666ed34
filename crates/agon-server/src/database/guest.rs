//! Reads and writes beside a server that may be running, for commands of the shell.
//!
//! It must leave alone what a running server keeps in memory.

use anyhow::{Context, Result, ensure};
use rusqlite::Connection;
use tokio_postgres::Client;

use super::{
    Place, Row, Statement, Value,
    migrations::{SQLITE, missing},
    postgres::{Driver, check_form, connect, failed, refs, rows_of},
    sqlite,
};

/// Uses a database without being its server.
pub(crate) enum Guest {
    Sqlite(Connection),
    /// Without the lock of those who write: rows of which the server keeps nothing.
    Postgres {
        client: Client,
        _driver: Driver,
    },
}

impl Guest {
    /// Opens a database that a server of this version has made.
    ///
    /// # Errors
    /// If it cannot be opened, or another version made it.
    pub(crate) async fn open(place: &Place) -> Result<Guest> {
        match place {
            Place::Folder(file) => {
                let shown = || format!("the database {}", file.display());
                let connection = sqlite::connect(file).with_context(shown)?;
                let is_old = !missing(SQLITE, &sqlite::steps_done(&connection)?)?.is_empty();
                ensure!(!is_old, "an older Agon made {}; start the server first", file.display());
                Ok(Guest::Sqlite(connection))
            }
            Place::Server(address) => {
                let opened = async {
                    let (client, driver) = connect(address, &address.for_writing()).await?;
                    check_form(&client).await?;
                    anyhow::Ok(Guest::Postgres { client, _driver: driver })
                };
                opened.await.with_context(|| format!("the database {address}"))
            }
        }
    }

    /// Reads rows.
    ///
    /// # Errors
    /// If the database fails.
    pub(crate) async fn read(&mut self, sql: &'static str, values: Vec<Value>) -> Result<Vec<Row>> {
        match self {
            Guest::Sqlite(connection) => Ok(sqlite::read(connection, sql, &values)?),
            Guest::Postgres { client, .. } => {
                Ok(rows_of(&client.query(sql, &refs(&values)).await?)?)
            }
        }
    }

    /// Writes statements in one transaction.
    ///
    /// # Errors
    /// If the database fails; nothing is written then.
    pub(crate) async fn write(&mut self, statements: Vec<Statement>) -> Result<()> {
        match self {
            Guest::Sqlite(connection) => Ok(sqlite::write(connection, &statements)?),
            Guest::Postgres { client, .. } => {
                let transaction = client.transaction().await?;
                for (number, statement) in statements.iter().enumerate() {
                    let done = transaction.execute(statement.sql, &refs(&statement.values)).await;
                    statement.check(number, done.map_err(|error| failed(&error))?)?;
                }
                Ok(transaction.commit().await?)
            }
        }
    }
}
