//! Networks from which people have signed in: guesses from elsewhere do not lock them out there.

use super::{Store, Stored, now};
use crate::database::{Statement, statement};

/// How long a network is known after somebody has signed in from it: 180 days.
const LASTS: i64 = 180 * 24 * 3600 * 1000;

/// Returns the statement that notes that a person has signed in from a network.
pub(crate) fn note(person: i64, network: &[u8; 32]) -> Statement {
    let sql = "INSERT INTO networks (person, network, seen) VALUES ($1, $2, $3)
        ON CONFLICT (person, network) DO UPDATE SET seen = excluded.seen";
    statement(sql, (person, network.as_slice(), now()))
}

/// Returns the statement that forgets networks that nobody has used for long.
pub(crate) fn forget_old() -> Statement {
    statement("DELETE FROM networks WHERE seen < $1", (now() - LASTS,))
}

impl Store {
    /// Returns whether a person has signed in from a network.
    pub(crate) async fn knows_network(&self, person: i64, network: &[u8; 32]) -> Stored<bool> {
        let sql = "SELECT 1 FROM networks WHERE person = $1 AND network = $2";
        Ok(self.first::<i64>(sql, (person, network.as_slice())).await?.is_some())
    }
}
