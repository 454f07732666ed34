//! Replies that are given again to a request with the same `Idempotency-Key`.

use super::{Store, Stored, now};
use crate::database::{Statement, row, statement};

/// How long a reply is kept: a day.
const LASTS: i64 = 24 * 3600 * 1000;

/// The most replies of a person that are kept.
pub(crate) const MOST: u64 = 1_000;

/// A reply that is kept.
#[derive(Clone, Debug)]
pub(crate) struct KeptReply {
    /// The digest of the request.
    pub(crate) request: Vec<u8>,
    pub(crate) status: u16,
    pub(crate) location: Option<String>,
    /// JSON; `None` if it had a secret, which is not kept.
    pub(crate) body: Option<String>,
}

row!(KeptReply { request, status, location, body });

impl KeptReply {
    /// Returns the statement that keeps the reply. It fails if there is one with the key.
    pub(crate) fn insert(&self, person: i64, key: &str) -> Statement {
        let sql = "INSERT INTO idempotency (person, key, request, status, location, body, created)
            VALUES ($1, $2, $3, $4, $5, $6, $7)";
        let KeptReply { request, status, location, body } = self;
        let (request, status) = (request.as_slice(), u32::from(*status));
        let (location, body) = (location.as_deref(), body.as_deref());
        let values = (person, key, request, status, location, body, now());
        statement(sql, values).once()
    }
}

/// Returns the statement that forgets replies that were kept long enough.
pub(crate) fn forget_old() -> Statement {
    statement("DELETE FROM idempotency WHERE created < $1", (now() - LASTS,))
}

impl Store {
    /// Finds the reply to a person's request with a key.
    pub(crate) async fn kept_reply(&self, person: i64, key: &str) -> Stored<Option<KeptReply>> {
        let sql = "SELECT request, status, location, body FROM idempotency
            WHERE person = $1 AND key = $2 AND created >= $3";
        self.first(sql, (person, key, now() - LASTS)).await
    }

    /// Returns how many replies of a person are kept.
    pub(crate) async fn kept_replies(&self, person: i64) -> Stored<u64> {
        let sql = "SELECT count(*) FROM idempotency WHERE person = $1 AND created >= $2";
        self.count(sql, (person, now() - LASTS)).await
    }
}
