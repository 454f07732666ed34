//! Reads and writes beside the server that holds the lock: rows of which it keeps nothing.

use anyhow::{Context, Result, ensure};
use tokio_postgres::{Client, types::ToSql};

use super::{
    address::Address,
    column::rows_of,
    connection::{Driver, connect},
    errors::failed,
};
use crate::database::{
    DatabaseError, Row, Statement, Value,
    migrations::{POSTGRES, missing},
};

/// A connection without the lock of those who write.
pub(crate) struct PostgresGuest {
    client: Client,
    _driver: Driver,
}

impl PostgresGuest {
    /// Connects to a database that a server of this version has made.
    ///
    /// # Errors
    /// If it cannot be reached, or another version made it.
    pub(crate) async fn open(address: &Address) -> Result<PostgresGuest> {
        let opened = async {
            let (client, driver) = connect(address, &address.for_writing()).await?;
            let sql = "SELECT version, digest FROM migrations ORDER BY version";
            let done = client.query(sql, &[]).await.context("it has no ladder")?;
            let done: Vec<_> = done.iter().map(|row| (row.get(0), row.get(1))).collect();
            let is_old = !missing(POSTGRES, &done)?.is_empty();
            ensure!(!is_old, "an older Agon made it; start the server first");
            anyhow::Ok(PostgresGuest { client, _driver: driver })
        };
        opened.await.with_context(|| format!("the database {address}"))
    }

    /// Reads rows.
    ///
    /// # Errors
    /// If the database fails.
    pub(crate) async fn read(&self, sql: &str, values: &[Value]) -> Result<Vec<Row>> {
        Ok(rows_of(&self.client.query(sql, &refs(values)).await?)?)
    }

    /// Writes statements in one transaction.
    ///
    /// # Errors
    /// If the database fails; nothing is written then.
    pub(crate) async fn write(&mut self, statements: &[Statement]) -> Result<()> {
        let transaction = self.client.transaction().await?;
        for (number, statement) in statements.iter().enumerate() {
            let done = transaction.execute(statement.sql, &refs(&statement.values)).await;
            let changed = done.map_err(|error| failed(&error))?;
            if statement.expected.is_some_and(|expected| expected as u64 != changed) {
                return Err(DatabaseError::Unexpected { statement: number }.into());
            }
        }
        Ok(transaction.commit().await?)
    }
}

fn refs(values: &[Value]) -> Vec<&(dyn ToSql + Sync)> {
    values.iter().map(|value| value as &(dyn ToSql + Sync)).collect()
}
