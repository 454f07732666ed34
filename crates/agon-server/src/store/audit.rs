//! The audit log: who did what, for organisers.

use agon_ladder::api::{AuditEntry, Time};

use super::{Store, Stored, now};
use crate::database::{Column, Statement, Value, row, statement};

/// How many entries are kept.
const KEPT: i64 = 100_000;

row!(AuditEntry { id, at, person, action, subject, detail });

impl Column for Time {
    /// The database has milliseconds.
    fn read(value: &Value) -> Option<Time> {
        i64::read(value).map(|ms| Time(u64::try_from(ms / 1_000).unwrap_or(0)))
    }
}

/// Returns the statement that notes something.
pub(crate) fn note(person: Option<i64>, action: &str, subject: &str, detail: &str) -> Statement {
    let sql = "INSERT INTO audit (at, person, action, subject, detail)
        VALUES ($1, $2, $3, $4, $5)";
    statement(sql, (now(), person, action, subject, detail))
}

/// Returns the statement that forgets all but the latest entries.
pub(crate) fn forget_old() -> Statement {
    let sql = "DELETE FROM audit WHERE id <= (SELECT max(id) FROM audit) - $1";
    statement(sql, (KEPT,))
}

impl Store {
    /// Returns the latest entries before one, the last one first; people are those for signing in.
    pub(crate) async fn audit_before(&self, before: i64, most: u32) -> Stored<Vec<AuditEntry>> {
        let sql = "SELECT audit.id, audit.at, people.name, action, subject, detail FROM audit
            LEFT JOIN people ON people.id = audit.person
            WHERE audit.id < $1 ORDER BY audit.id DESC LIMIT $2";
        self.all(sql, (before, most)).await
    }
}
