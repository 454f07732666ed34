//! Authors with a later deadline than others.

use std::collections::BTreeMap;

use super::{Store, Stored};
use crate::database::{Statement, row, statement};

/// An author with a later deadline in an arena.
#[derive(Clone, Debug)]
pub(crate) struct Extension {
    /// The name for signing in.
    pub(crate) name: String,
    /// The name for people.
    pub(crate) shown: String,
    pub(crate) until: i64,
}

row!(Extension { name, shown, until });

/// Returns the statement that gives an author a later deadline, or takes it back.
pub(crate) fn set(arena: i64, person: i64, until: Option<i64>) -> Statement {
    match until {
        Some(until) => {
            let sql = "INSERT INTO extensions (arena, person, until) VALUES ($1, $2, $3)
                ON CONFLICT (arena, person) DO UPDATE SET until = $3";
            statement(sql, (arena, person, until))
        }
        None => {
            let sql = "DELETE FROM extensions WHERE arena = $1 AND person = $2";
            statement(sql, (arena, person))
        }
    }
}

impl Store {
    /// Returns the later deadline of an author, if there is one.
    pub(crate) async fn extension(&self, arena: i64, person: i64) -> Stored<Option<i64>> {
        let sql = "SELECT until FROM extensions WHERE arena = $1 AND person = $2";
        self.first(sql, (arena, person)).await
    }

    /// Returns all later deadlines of an arena, by name.
    pub(crate) async fn extensions(&self, arena: i64) -> Stored<Vec<Extension>> {
        let sql = "SELECT people.name, people.shown, until FROM extensions
            JOIN people ON people.id = extensions.person
            WHERE arena = $1 ORDER BY people.name";
        self.all(sql, (arena,)).await
    }

    /// Returns the later deadlines of an arena, by the authors' ids.
    pub(crate) async fn later_deadlines(&self, arena: i64) -> Stored<BTreeMap<i64, i64>> {
        let sql = "SELECT person, until FROM extensions WHERE arena = $1";
        Ok(self.all(sql, (arena,)).await?.into_iter().collect())
    }

    /// Returns the last deadline that an author of an arena has beside the arena's own.
    pub(crate) async fn last_extension(&self, arena: i64) -> Stored<Option<i64>> {
        let sql = "SELECT max(until) FROM extensions WHERE arena = $1";
        Ok(self.first(sql, (arena,)).await?.flatten())
    }
}
