//! People with an account.

pub(crate) use agon_ladder::api::Role;

use super::{Store, Stored, fresh_id, now};
use crate::database::{Column, Statement, Value, parsed, row, statement};

/// The fact that visitors may not see the pages of people: `yes` or `no`.
pub(crate) const PEOPLE_PRIVATE: &str = "people_private";

/// A person.
#[derive(Clone, Debug)]
pub(crate) struct Person {
    pub(crate) id: i64,
    /// For signing in, and for organisers: lower case.
    pub(crate) name: String,
    /// What everybody sees, also in addresses. In lower case it is nobody else's.
    pub(crate) shown: String,
    pub(crate) role: Role,
    /// The password's PHC string; `None` until it is set.
    pub(crate) password: Option<String>,
    pub(crate) created: i64,
    pub(crate) disabled: Option<i64>,
    /// When all that was known of the person was removed.
    pub(crate) erased: Option<i64>,
}

impl Person {
    /// Makes a person with a new id.
    pub(crate) fn new(name: &str, role: Role, password: Option<String>) -> Person {
        Person {
            id: fresh_id(),
            name: name.to_lowercase(),
            shown: name.to_owned(),
            role,
            password,
            created: now(),
            disabled: None,
            erased: None,
        }
    }

    /// Returns whether one of the names has a text, which is in lower case.
    pub(crate) fn is_found(&self, text: &str) -> bool {
        self.name.contains(text) || self.shown.to_lowercase().contains(text)
    }

    /// Returns the statement that adds the person.
    pub(crate) fn insert(&self) -> Statement {
        let sql = "INSERT INTO people (id, name, shown, role, password, created)
            VALUES ($1, $2, $3, $4, $5, $6)";
        let Person { id, name, shown, role, password, created, .. } = self;
        statement(sql, (*id, name, shown, *role, password.as_deref(), *created)).once()
    }
}

row!(Person { id, name, shown, role, password, created, disabled, erased });

impl Column for Role {
    fn read(value: &Value) -> Option<Role> {
        // A role that a later version wrote gives no rights here.
        Some(parsed(value).unwrap_or(Role::Spectator))
    }
}

impl From<Role> for Value {
    fn from(role: Role) -> Value {
        role.name().into()
    }
}

/// Makes a query for people.
macro_rules! query {
    ($rest:literal) => {
        concat!(
            "SELECT id, name, shown, role, password, created, disabled, erased FROM people ",
            $rest
        )
    };
}

/// Returns the statement that sets a password.
pub(crate) fn set_password(person: i64, password: &str) -> Statement {
    let sql = "UPDATE people SET password = $2 WHERE id = $1";
    statement(sql, (person, password)).once()
}

/// Returns the statement that has everybody see another name of a person. It fails if somebody else
/// has this name, also for signing in.
pub(crate) fn set_shown(person: i64, shown: &str) -> Statement {
    let sql = "UPDATE people SET shown = $2 WHERE id = $1 AND erased IS NULL
        AND NOT EXISTS (SELECT 1 FROM people AS other WHERE other.id <> $1 AND other.name = $3)";
    statement(sql, (person, shown, shown.to_lowercase())).once()
}

/// Returns the statement that gives a person a role. It fails if no administrator would be left.
pub(crate) fn set_role(person: i64, role: Role) -> Statement {
    let sql = "UPDATE people SET role = $2 WHERE id = $1
        AND ($2 = 'administrator' OR role <> 'administrator' OR disabled IS NOT NULL
            OR 1 < (SELECT count(*) FROM people WHERE role = 'administrator'
                AND disabled IS NULL AND password IS NOT NULL))";
    statement(sql, (person, role)).once()
}

/// Returns the statement that lets a person sign in no more. It fails if no administrator would be
/// left.
pub(crate) fn disable(person: i64, since: i64) -> Statement {
    let sql = "UPDATE people SET disabled = $2 WHERE id = $1
        AND (role <> 'administrator' OR disabled IS NOT NULL
            OR 1 < (SELECT count(*) FROM people WHERE role = 'administrator'
                AND disabled IS NULL AND password IS NOT NULL))";
    statement(sql, (person, since)).once()
}

/// Returns the statement that changes nothing, and fails if a person was erased.
pub(crate) fn must_be_there(person: i64) -> Statement {
    let sql = "UPDATE people SET erased = NULL WHERE id = $1 AND erased IS NULL";
    statement(sql, (person,)).once()
}

/// Returns the statement that lets a person sign in again.
pub(crate) fn enable(person: i64) -> Statement {
    statement("UPDATE people SET disabled = NULL WHERE id = $1", (person,)).once()
}

impl Store {
    /// Finds a person by the name for signing in, in any case.
    pub(crate) async fn person(&self, name: &str) -> Stored<Option<Person>> {
        self.first(query!("WHERE name = $1"), (name.to_lowercase(),)).await
    }

    /// Finds a person by the name that everybody sees, in any case.
    pub(crate) async fn person_shown_as(&self, shown: &str) -> Stored<Option<Person>> {
        self.first(query!("WHERE lower(shown) = $1"), (shown.to_lowercase(),)).await
    }

    /// Finds a person by id.
    pub(crate) async fn person_of(&self, id: i64) -> Stored<Option<Person>> {
        self.first(query!("WHERE id = $1"), (id,)).await
    }

    /// Returns all people who were not erased, in order of names.
    pub(crate) async fn people(&self) -> Stored<Vec<Person>> {
        self.all(query!("WHERE erased IS NULL ORDER BY name"), ()).await
    }

    /// Returns how many people have a role, may sign in, and have a password.
    pub(crate) async fn count_of(&self, role: Role) -> Stored<u64> {
        let sql = "SELECT count(*) FROM people
            WHERE role = $1 AND disabled IS NULL AND password IS NOT NULL";
        self.count(sql, (role,)).await
    }
}
