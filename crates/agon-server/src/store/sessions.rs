//! Sessions, browsers in which somebody is signed in; and networks from which people have signed
//! in: guesses from elsewhere do not lock them out there.

use std::collections::BTreeMap;

use super::{Store, Stored, now, people::Person};
use crate::accounts::token::{Token, TokenDigest};
use crate::database::{Column, Statement, Value, row, statement};

/// How long a session lasts after it was last used: 30 days.
pub(crate) const LASTS: i64 = 30 * 24 * 3600 * 1000;

/// How old the time of the last use may become before it is written again: a minute.
const SEEN_EVERY: i64 = 60 * 1000;

/// The longest name of a browser that is kept.
const BROWSER: usize = 200;

/// A session.
#[derive(Clone, Debug)]
pub(crate) struct Session {
    pub(crate) digest: TokenDigest,
    pub(crate) created: i64,
    pub(crate) seen: i64,
    pub(crate) browser: String,
}

impl Column for TokenDigest {
    fn read(value: &Value) -> Option<TokenDigest> {
        TokenDigest::of_bytes(&Vec::read(value)?)
    }
}

impl From<&TokenDigest> for Value {
    fn from(digest: &TokenDigest) -> Value {
        digest.as_bytes().into()
    }
}

row!(Session { digest, created, seen, browser });

/// Returns the statement that begins a session.
pub(crate) fn begin(token: &Token, person: i64, browser: &str) -> Statement {
    let sql = "INSERT INTO sessions (token, person, created, seen, browser)
        VALUES ($1, $2, $3, $3, $4)";
    let browser = agon_core::text::name::cut(browser, BROWSER);
    let digest = token.digest();
    statement(sql, (&digest, person, now(), browser)).once()
}

/// Returns the statement that ends a session of a person.
pub(crate) fn end(digest: &TokenDigest, person: i64) -> Statement {
    let sql = "DELETE FROM sessions WHERE token = $1 AND person = $2";
    statement(sql, (digest, person))
}

/// Returns the statement that ends all sessions of a person but one.
pub(crate) fn end_others(person: i64, but: Option<&TokenDigest>) -> Statement {
    let sql = "DELETE FROM sessions WHERE person = $1 AND token <> $2";
    let but: &[u8] = but.map_or(&[], TokenDigest::as_bytes);
    statement(sql, (person, but))
}

/// Returns the statement that forgets sessions nobody has used for long.
pub(crate) fn forget_old() -> Statement {
    statement("DELETE FROM sessions WHERE seen < $1", (now() - LASTS,))
}

/// How long a network is known after somebody has signed in from it: 180 days.
const KNOWN: i64 = 180 * 24 * 3600 * 1000;

/// Returns the statement that notes that a person has signed in from a network.
pub(crate) fn note_network(person: i64, network: &[u8; 32]) -> Statement {
    let sql = "INSERT INTO networks (person, network, seen) VALUES ($1, $2, $3)
        ON CONFLICT (person, network) DO UPDATE SET seen = excluded.seen";
    statement(sql, (person, network.as_slice(), now()))
}

/// Returns the statement that forgets networks that nobody has used for long.
pub(crate) fn forget_networks() -> Statement {
    statement("DELETE FROM networks WHERE seen < $1", (now() - KNOWN,))
}

impl Store {
    /// Finds who is signed in with a token.
    pub(crate) async fn signed_in(&self, token: &Token) -> Stored<Option<Person>> {
        let digest = token.digest();
        let sql = "SELECT person, seen FROM sessions WHERE token = $1 AND seen >= $2";
        let found: Option<(i64, i64)> = self.first(sql, (&digest, now() - LASTS)).await?;
        let Some((person, seen)) = found else { return Ok(None) };
        if now() - seen > SEEN_EVERY {
            let sql = "UPDATE sessions SET seen = $2 WHERE token = $1";
            self.write(vec![statement(sql, (&digest, now()))]).await?;
        }
        let person = self.person_of(person).await?;
        Ok(person.filter(|person| person.disabled.is_none()))
    }

    /// Returns when each person was last seen in a session that is left.
    pub(crate) async fn last_seen(&self) -> Stored<BTreeMap<i64, i64>> {
        let sql = "SELECT person, max(seen) FROM sessions GROUP BY person";
        Ok(self.all(sql, ()).await?.into_iter().collect())
    }

    /// Returns the sessions of a person, the latest first.
    pub(crate) async fn sessions(&self, person: i64) -> Stored<Vec<Session>> {
        let sql = "SELECT token, created, seen, browser FROM sessions WHERE person = $1
            ORDER BY seen DESC LIMIT 100";
        self.all(sql, (person,)).await
    }

    /// Returns whether a person has signed in from a network.
    pub(crate) async fn knows_network(&self, person: i64, network: &[u8; 32]) -> Stored<bool> {
        let sql = "SELECT 1 FROM networks WHERE person = $1 AND network = $2";
        Ok(self.first::<i64>(sql, (person, network.as_slice())).await?.is_some())
    }
}
