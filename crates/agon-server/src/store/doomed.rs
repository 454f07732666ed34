//! Blobs that are to be removed. A row stays until its file is gone, so no crash loses one.

use agon_match::spec::Digest;

use super::{Store, Stored};
use crate::database::{Statement, statement};

/// Returns the statement that has a blob removed, unless something names it.
pub(crate) fn add(digest: Digest) -> Statement {
    let sql = "INSERT INTO doomed (digest) VALUES ($1) ON CONFLICT (digest) DO NOTHING";
    statement(sql, (digest,))
}

/// Returns the statement that notes that a blob was removed, or is needed.
pub(crate) fn done(digest: Digest) -> Statement {
    statement("DELETE FROM doomed WHERE digest = $1", (digest,))
}

impl Store {
    /// Returns blobs that are to be removed.
    pub(crate) async fn doomed(&self, most: u32) -> Stored<Vec<Digest>> {
        let sql = "SELECT digest FROM doomed ORDER BY digest LIMIT $1";
        self.all(sql, (most,)).await
    }
}
