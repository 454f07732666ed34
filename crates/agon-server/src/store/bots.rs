//! Bots: one for each author in each arena, and the arena's bosses.

use serde::{Deserialize, Serialize};

use super::{Store, Stored, to_json};
use crate::accounts::name::skeleton;
use crate::database::{Statement, json_column, row, statement};

/// A bot. Its versions play.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bot {
    pub(crate) id: i64,
    pub(crate) arena: i64,
    /// Who handed it in; `None` for a boss.
    pub(crate) owner: Option<i64>,
    /// Its name in addresses.
    pub(crate) slug: String,
    /// Its name for people.
    pub(crate) name: String,
    /// The version that plays.
    pub(crate) active: Option<i64>,
    /// Why it does not play, though it has a version.
    pub(crate) stopped: Option<Stopped>,
    pub(crate) created: i64,
}

/// Why a bot does not play.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stopped {
    pub(crate) by: StoppedBy,
    /// A sentence for its author and for everybody.
    pub(crate) why: String,
    pub(crate) at: i64,
}

/// Why bots do not play whose author cannot sign in, for people.
pub(crate) const DISABLED: &str = "its author's account is disabled";

/// Who stopped a bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum StoppedBy {
    /// The server: it kept failing. A new version plays again.
    Failures,
    /// Its author.
    Author,
    /// An organiser, who excluded it. A new version does not play either.
    Organiser,
    /// An organiser, who paused it. A new version does not play either.
    OrganiserPaused,
    /// An organiser, who disabled its author's account. It plays again once that is enabled.
    Disabled,
    /// Its author was erased. Nothing of it plays again.
    Erased,
}

/// Makes a query for bots.
macro_rules! query {
    ($rest:literal) => {
        concat!("SELECT id, arena, owner, slug, name, active, stopped, created FROM bots ", $rest)
    };
}

row!(Bot { id, arena, owner, slug, name, active, stopped, created });
json_column!(Stopped);

impl StoppedBy {
    /// Returns whether only organisers let the bot play again.
    pub(crate) fn is_organiser(self) -> bool {
        matches!(self, StoppedBy::Organiser | StoppedBy::OrganiserPaused | StoppedBy::Disabled)
    }
}

impl Bot {
    /// Returns whether its author was erased.
    pub(crate) fn is_erased(&self) -> bool {
        self.stopped.as_ref().is_some_and(|stopped| stopped.by == StoppedBy::Erased)
    }

    /// Returns the statement that adds the bot. It fails if another bot of the arena has a name
    /// that looks like its own.
    pub(crate) fn insert(&self) -> Statement {
        self.insert_with(
            "INSERT INTO bots (id, arena, owner, slug, name, active, created, skeleton)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        )
    }

    /// Returns the statement that adds a bot whose name its author did not choose here: a boss, or
    /// a copy for a final.
    pub(crate) fn insert_anyway(&self) -> Statement {
        self.insert_with(
            "INSERT INTO bots (id, arena, owner, slug, name, active, created, skeleton)
            VALUES ($1, $2, $3, $4, $5, $6, $7, CASE WHEN EXISTS
                (SELECT 1 FROM bots WHERE arena = $2 AND skeleton = $8) THEN NULL
                ELSE CAST($8 AS TEXT) END)",
        )
    }

    fn insert_with(&self, sql: &'static str) -> Statement {
        let Bot { id, arena, owner, slug, name, active, created, .. } = self;
        let values = (*id, *arena, *owner, slug, name, *active, *created, skeleton(name));
        statement(sql, values).once()
    }
}

/// Returns the statement that has a version of a bot play.
pub(crate) fn set_active(bot: i64, version: Option<i64>) -> Statement {
    let sql = "UPDATE bots SET active = $2 WHERE id = $1";
    statement(sql, (bot, version)).once()
}

/// Returns the statement that stops a bot, or lets it play again.
pub(crate) fn set_stopped(bot: i64, stopped: Option<&Stopped>) -> Statement {
    let sql = "UPDATE bots SET stopped = $2 WHERE id = $1";
    statement(sql, (bot, stopped.map(to_json))).once()
}

/// Returns the statement that does the same unless an organiser has stopped the bot, which only an
/// organiser ends, or its author was erased.
pub(crate) fn stop_unless_excluded(bot: i64, stopped: Option<&Stopped>) -> Statement {
    let sql = "UPDATE bots SET stopped = $2
        WHERE id = $1 AND (stopped_by IS NULL OR stopped_by IN ('failures', 'author'))";
    statement(sql, (bot, stopped.map(to_json)))
}

/// Returns the statement that gives a bot another name. It fails if another bot of the arena has
/// a name that looks like it.
pub(crate) fn rename(bot: i64, name: &str) -> Statement {
    let sql = "UPDATE bots SET name = $2, skeleton = $3 WHERE id = $1";
    statement(sql, (bot, name, skeleton(name))).once()
}

impl Store {
    /// Notes what the names of all bots look like that have no note of it: an earlier Agon made
    /// them, or they look like another one, which may have another name by now.
    pub(crate) async fn note_skeletons(&self) -> Stored<()> {
        // Names of Agon's own bots come first.
        let sql = query!("WHERE skeleton IS NULL ORDER BY owner IS NOT NULL, created, id");
        let bots: Vec<Bot> = self.all(sql, ()).await?;
        // Unless another bot of the arena has a name that looks like it.
        let sql = "UPDATE bots SET skeleton = $3 WHERE id = $1 AND NOT EXISTS
            (SELECT 1 FROM bots AS other WHERE other.arena = $2 AND other.skeleton = $3)";
        let set = |bot: &Bot| statement(sql, (bot.id, bot.arena, skeleton(&bot.name)));
        let named = bots.iter().filter(|bot| !bot.is_erased());
        let statements: Vec<Statement> = named.map(set).collect();
        if statements.is_empty() {
            return Ok(());
        }
        self.write(statements).await
    }

    /// Returns all bots of an arena.
    pub(crate) async fn bots(&self, arena: i64) -> Stored<Vec<Bot>> {
        let sql = query!("WHERE arena = $1 ORDER BY created, id");
        self.all(sql, (arena,)).await
    }

    /// Returns all bots of an arena, each with the name of its author; empty for a boss.
    pub(crate) async fn bots_with_authors(&self, arena: i64) -> Stored<Vec<(Bot, String)>> {
        let sql = "SELECT bots.id, arena, owner, slug, bots.name, active, stopped, bots.created,
                coalesce(people.shown, '')
            FROM bots LEFT JOIN people ON people.id = bots.owner
            WHERE arena = $1 ORDER BY bots.created, bots.id";
        self.all(sql, (arena,)).await
    }

    /// Finds a bot of an arena by its name in addresses.
    pub(crate) async fn bot(&self, arena: i64, slug: &str) -> Stored<Option<Bot>> {
        let sql = query!("WHERE arena = $1 AND slug = $2");
        self.first(sql, (arena, slug)).await
    }

    /// Finds a bot by id.
    pub(crate) async fn bot_of(&self, id: i64) -> Stored<Option<Bot>> {
        let sql = query!("WHERE id = $1");
        self.first(sql, (id,)).await
    }

    /// Returns the bot of an author in an arena.
    pub(crate) async fn own_bot(&self, arena: i64, owner: i64) -> Stored<Option<Bot>> {
        let sql = query!("WHERE arena = $1 AND owner = $2");
        self.first(sql, (arena, owner)).await
    }

    /// Returns the bots of an author in all arenas.
    pub(crate) async fn bots_of(&self, owner: i64) -> Stored<Vec<Bot>> {
        let sql = query!("WHERE owner = $1 ORDER BY created, id");
        self.all(sql, (owner,)).await
    }
}
