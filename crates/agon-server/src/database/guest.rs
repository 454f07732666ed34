//! Reads and writes beside a server that may be running, for commands of the shell.
//!
//! It must leave alone what a running server keeps in memory.

use anyhow::{Context, Result, ensure};
use rusqlite::Connection;

use super::{
    Place, Row, Statement, Value,
    migrations::{SQLITE, missing},
    postgres::PostgresGuest,
    sqlite,
};

/// Uses a database without being its server.
pub(crate) enum Guest {
    Sqlite(Connection),
    Postgres(PostgresGuest),
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
            Place::Server(address) => Ok(Guest::Postgres(PostgresGuest::open(address).await?)),
        }
    }

    /// Reads rows.
    ///
    /// # Errors
    /// If the database fails.
    pub(crate) async fn read(&mut self, sql: &'static str, values: Vec<Value>) -> Result<Vec<Row>> {
        match self {
            Guest::Sqlite(connection) => Ok(sqlite::read(connection, sql, &values)?),
            Guest::Postgres(guest) => guest.read(sql, &values).await,
        }
    }

    /// Writes statements in one transaction.
    ///
    /// # Errors
    /// If the database fails; nothing is written then.
    pub(crate) async fn write(&mut self, statements: Vec<Statement>) -> Result<()> {
        match self {
            Guest::Sqlite(connection) => Ok(sqlite::write(connection, &statements)?),
            Guest::Postgres(guest) => guest.write(&statements).await,
        }
    }
}
