//! The forms that the tables have had, as steps from each to the next.
//!
//! A step never changes once it was released: its digest is in the database.

use anyhow::{Result, ensure};

/// A step from one form of the tables to the next.
pub(crate) struct Migration {
    /// The form that it leads to, from 1.
    pub(crate) version: i64,
    /// The SQL.
    pub(crate) sql: &'static str,
}

/// The steps for SQLite, in order.
pub(crate) const SQLITE: &[Migration] = &[
    Migration { version: 1, sql: include_str!("migrations/sqlite/0001.sql") },
    Migration { version: 2, sql: include_str!("migrations/sqlite/0002.sql") },
    Migration { version: 3, sql: include_str!("migrations/sqlite/0003.sql") },
    Migration { version: 4, sql: include_str!("migrations/sqlite/0004.sql") },
];

/// The steps for PostgreSQL: the same tables and columns after each, so that one can be copied to
/// the other.
pub(crate) const POSTGRES: &[Migration] = &[
    Migration { version: 1, sql: include_str!("migrations/postgres/0001.sql") },
    Migration { version: 2, sql: include_str!("migrations/postgres/0002.sql") },
    Migration { version: 3, sql: include_str!("migrations/postgres/0003.sql") },
    Migration { version: 4, sql: include_str!("migrations/postgres/0004.sql") },
];

impl Migration {
    /// Returns what tells its text from others.
    pub(crate) fn digest(&self) -> String {
        blake3::hash(self.sql.as_bytes()).to_hex()[..32].to_owned()
    }
}

/// Returns the steps that a database needs. `done` lists those it had: version and digest.
///
/// # Errors
/// If a newer program made it, or a step had another text.
pub(crate) fn missing(
    all: &'static [Migration],
    done: &[(i64, String)],
) -> Result<&'static [Migration]> {
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
