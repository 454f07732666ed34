//! Personal tokens, with which programs use the API.

use agon_ladder::api::Scope;

use super::{Store, Stored, fresh_id, now, people::Person};
use crate::accounts::token::Token;
use crate::database::{Column, Statement, Value, row, statement};

/// The most tokens of a person.
pub(crate) const MOST: usize = 50;

/// How old the time of the last use may become before it is written again: a minute.
const SEEN_EVERY: i64 = 60 * 1000;

/// A day in milliseconds.
const DAY: i64 = 24 * 3600 * 1000;

/// A token, without its secret.
#[derive(Clone, Debug)]
pub(crate) struct PersonalToken {
    pub(crate) id: i64,
    pub(crate) label: String,
    pub(crate) scopes: Vec<Scope>,
    /// Whether it was made with name and password.
    pub(crate) by_password: bool,
    pub(crate) created: i64,
    pub(crate) seen: Option<i64>,
    pub(crate) expires: i64,
}

impl PersonalToken {
    /// Makes a token that ends after some days.
    pub(crate) fn new(
        label: &str,
        scopes: &[Scope],
        days: u32,
        by_password: bool,
    ) -> PersonalToken {
        let mut scopes = scopes.to_vec();
        scopes.sort_unstable();
        scopes.dedup();
        let created = now();
        PersonalToken {
            id: fresh_id(),
            label: agon_core::text::escape(label.trim()).into_owned(),
            scopes,
            by_password,
            created,
            seen: None,
            expires: created + i64::from(days) * DAY,
        }
    }

    /// Returns the statement that adds the token of a person.
    pub(crate) fn insert(&self, secret: &Token, person: i64) -> Statement {
        let sql = "INSERT INTO tokens (token, id, person, label, scopes, by_password, created,
                expires)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
        let scopes: Vec<&str> = self.scopes.iter().map(|scope| scope.name()).collect();
        let values = (
            &secret.digest(),
            self.id,
            person,
            &self.label,
            scopes.join(" "),
            self.by_password,
            self.created,
            self.expires,
        );
        statement(sql, values).once()
    }
}

row!(PersonalToken { id, label, scopes, by_password, created, seen, expires });

/// Their names, with spaces. A name that a later version wrote gives no rights here.
impl Column for Vec<Scope> {
    fn read(value: &Value) -> Option<Vec<Scope>> {
        let names = String::read(value)?;
        let is_named = |scope: &Scope| names.split(' ').any(|name| name == scope.name());
        Some(Scope::ALL.into_iter().filter(is_named).collect())
    }
}

/// Returns the statement that revokes a token of a person.
pub(crate) fn revoke(id: i64, person: i64) -> Statement {
    statement("DELETE FROM tokens WHERE id = $1 AND person = $2", (id, person))
}

/// Returns the statement that revokes all tokens that were made with a person's password.
pub(crate) fn revoke_by_password(person: i64) -> Statement {
    statement("DELETE FROM tokens WHERE person = $1 AND by_password = 1", (person,))
}

/// Returns the statement that revokes all tokens of a person.
pub(crate) fn revoke_all(person: i64) -> Statement {
    statement("DELETE FROM tokens WHERE person = $1", (person,))
}

/// Returns the statement that forgets a person's tokens that have ended.
pub(crate) fn forget_old(person: i64) -> Statement {
    let sql = "DELETE FROM tokens WHERE person = $1 AND expires < $2";
    statement(sql, (person, now()))
}

impl Store {
    /// Finds the token of a secret and its person; nothing if either may do nothing any more.
    pub(crate) async fn token(&self, secret: &Token) -> Stored<Option<(PersonalToken, Person)>> {
        let sql = "SELECT id, label, scopes, by_password, created, seen, expires, person
            FROM tokens WHERE token = $1 AND expires > $2";
        let digest = secret.digest();
        let found = self.first::<(PersonalToken, i64)>(sql, (&digest, now())).await?;
        let Some((token, person)) = found else { return Ok(None) };
        if token.seen.is_none_or(|seen| now() - seen > SEEN_EVERY) {
            let sql = "UPDATE tokens SET seen = $2 WHERE token = $1";
            self.write(vec![statement(sql, (&digest, now()))]).await?;
        }
        let person = self.person_of(person).await?;
        Ok(person.filter(|person| person.disabled.is_none()).map(|person| (token, person)))
    }

    /// Returns the tokens of a person that have not ended, the latest first.
    pub(crate) async fn tokens(&self, person: i64) -> Stored<Vec<PersonalToken>> {
        let sql = "SELECT id, label, scopes, by_password, created, seen, expires
            FROM tokens WHERE person = $1 AND expires > $2 ORDER BY created DESC, id";
        self.all(sql, (person, now())).await
    }
}
