//! What the server keeps in its database: people, arenas, bots, matches.
//!
//! Each module has the records of one kind and the statements about them. A change that must be
//! whole is one call of [`Store::write`] with several statements.
//!
//! | module | contents |
//! | --- | --- |
//! | `people`, `sessions`, `links`, `tokens` | who may do what, and how they sign in |
//! | `idempotency` | replies that are given again to the same request |
//! | `arenas` | games with settings; authors with a later deadline |
//! | `bots`, `versions` | what people handed in |
//! | `matches` | planned and played matches |
//! | `match_filter` | lists of matches with filters |
//! | `counts` | counted results, and tables made of them |
//! | `ledger` | the public log |
//! | `finals` | draws of finals, and what authors add to them |
//! | `retention` | what is removed because of its age; blobs that are to be removed |
//! | `erasure` | what is removed with a person |
//! | `audit` | who did what |

pub(crate) mod arenas;
pub(crate) mod audit;
pub(crate) mod bots;
pub(crate) mod counts;
pub(crate) mod erasure;
pub(crate) mod finals;
pub(crate) mod idempotency;
pub(crate) mod ledger;
pub(crate) mod links;
pub(crate) mod match_filter;
pub(crate) mod matches;
pub(crate) mod people;
pub(crate) mod retention;
pub(crate) mod sessions;
pub(crate) mod tokens;
pub(crate) mod versions;

use std::sync::Arc;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use prometheus_client::metrics::histogram::Histogram;

use crate::database::{Database, DatabaseError, FromRow, Params, Row, Statement, statement};

pub(crate) use crate::database::Stored;

/// The database with typed access. Clones share it.
#[derive(Clone)]
pub(crate) struct Store {
    pub(crate) database: Arc<dyn Database>,
    /// How long transactions take for which somebody waits, in seconds.
    write_seconds: Histogram,
}

impl Store {
    pub(crate) fn new(database: Arc<dyn Database>, write_seconds: Histogram) -> Store {
        Store { database, write_seconds }
    }

    /// Writes all statements or none, and waits until they are safe.
    pub(crate) async fn write(&self, statements: Vec<Statement>) -> Stored<()> {
        let began = Instant::now();
        let written = self.database.write(statements).await;
        self.write_seconds.observe(began.elapsed().as_secs_f64());
        written
    }

    /// Reads all rows of a query.
    async fn all<T: FromRow>(&self, sql: &'static str, values: impl Params) -> Stored<Vec<T>> {
        let rows = self.database.read(sql, values.values()).await?;
        rows.iter().map(Row::read).collect()
    }

    /// Reads the first row of a query.
    async fn first<T: FromRow>(&self, sql: &'static str, values: impl Params) -> Stored<Option<T>> {
        let rows = self.database.read(sql, values.values()).await?;
        rows.first().map(Row::read).transpose()
    }

    /// Reads the only row of a query, which counts something.
    async fn count(&self, sql: &'static str, values: impl Params) -> Stored<u64> {
        Ok(self.first(sql, values).await?.unwrap_or(0))
    }

    /// Returns a fact of the server as a whole.
    pub(crate) async fn fact(&self, name: &'static str) -> Stored<Option<String>> {
        self.first("SELECT value FROM facts WHERE name = $1", (name,)).await
    }

    /// Keeps a fact of the server as a whole, which stays as it is.
    pub(crate) async fn set_fact(&self, name: &'static str, value: String) -> Stored<()> {
        let sql = "INSERT INTO facts (name, value) VALUES ($1, $2)";
        self.write(vec![statement(sql, (name, value))]).await
    }
}

/// Returns the statement that replaces a fact of the server as a whole.
pub(crate) fn replace_fact(name: &'static str, value: String) -> Statement {
    let sql = "INSERT INTO facts (name, value) VALUES ($1, $2)
        ON CONFLICT (name) DO UPDATE SET value = excluded.value";
    statement(sql, (name, value))
}

/// Returns a new id: a random number of 53 bits, which JavaScript can read too.
///
/// # Panics
/// If the system gives no random numbers.
pub(crate) fn fresh_id() -> i64 {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).expect("the system gives random numbers");
    (u64::from_le_bytes(bytes) >> 11).cast_signed()
}

/// Returns the time, in milliseconds since 1970 (UTC).
pub(crate) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// Reads a JSON column that this program has written.
pub(crate) fn from_json<T: serde::de::DeserializeOwned>(text: &str) -> Stored<T> {
    serde_json::from_str(text)
        .map_err(|error| DatabaseError::Engine(format!("a value in it cannot be read: {error}")))
}

/// Writes a JSON column.
pub(crate) fn to_json<T: serde::Serialize>(value: &T) -> String {
    serde_json::to_string(value).expect("plain data can be written as JSON")
}

#[cfg(test)]
pub(crate) mod tests;
