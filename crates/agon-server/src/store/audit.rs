//! The audit log: who did what, for organisers.

use super::{Store, Stored, now};
use crate::database::{Statement, row, statement};

/// How many entries are kept.
const KEPT: i64 = 100_000;

/// An entry.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) at: i64,
    /// Who did it, by the name for signing in; `None` for the server itself.
    pub(crate) person: Option<String>,
    pub(crate) action: String,
    pub(crate) subject: String,
    pub(crate) detail: String,
}

row!(Entry { at, person, action, subject, detail });

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
    /// Returns the latest entries, the last one first.
    pub(crate) async fn audit(&self, most: u32) -> Stored<Vec<Entry>> {
        let entries = self.audit_before(i64::MAX, most).await?;
        Ok(entries.into_iter().map(|(_, entry)| entry).collect())
    }

    /// Returns the latest entries before one, the last one first, each with its id.
    pub(crate) async fn audit_before(&self, before: i64, most: u32) -> Stored<Vec<(i64, Entry)>> {
        let sql = "SELECT audit.id, audit.at, people.name, action, subject, detail FROM audit
            LEFT JOIN people ON people.id = audit.person
            WHERE audit.id < $1 ORDER BY audit.id DESC LIMIT $2";
        self.all(sql, (before, most)).await
    }
}
