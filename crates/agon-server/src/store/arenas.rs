//! Arenas: a game with settings, in which each author has one bot; and authors with a later
//! deadline than others.

use std::collections::BTreeMap;

use agon_games::GameId;
use agon_match::spec::MatchSettings;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::{Store, Stored, ledger, to_json};
use crate::database::{Statement, json_column, row, statement};

pub(crate) use agon_ladder::api::{RankedBy, Ranks, Sources};

/// An arena.
#[derive(Clone, Debug)]
pub(crate) struct Arena {
    pub(crate) id: i64,
    /// Its name in addresses.
    pub(crate) slug: String,
    /// Its name for people.
    pub(crate) title: String,
    pub(crate) settings: ArenaSettings,
    pub(crate) created: i64,
}

/// The settings of an arena.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ArenaSettings {
    pub(crate) game: GameId,
    /// What the organisers say about it; may be empty.
    #[serde(default)]
    pub(crate) about: String,
    /// The version of its rules: the season is bound to it.
    pub(crate) rules_version: u32,
    /// The preset that the rules came from.
    pub(crate) preset: String,
    /// All settings of the game.
    pub(crate) rules: Json,
    /// The number of players in a match.
    pub(crate) players: usize,
    /// A match ends after so many turns, if not before.
    pub(crate) max_turns: Option<u64>,
    /// How bots are run.
    pub(crate) matches: MatchSettings,
    /// The starter kits' languages that may be handed in; all if there is none.
    pub(crate) languages: Vec<String>,
    /// Whether bots learn whom they meet: the id of a version, or the name of a boss. Otherwise all
    /// have new names in each match.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) named: bool,
    /// Built-in bots that play along, as `agon play` takes them: each with its version.
    pub(crate) bosses: Vec<Boss>,
    pub(crate) season: Season,
    pub(crate) sources: Sources,
    /// What decides ranks; see [`ArenaSettings::ranks`] if nothing was chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) ranks: Option<Ranks>,
    /// How many versions an author may hand in within 24 hours.
    pub(crate) daily: u32,
    /// The final that is played after the season.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) finals: Option<FinalSettings>,
    /// What this arena is the final of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) final_of: Option<FinalOf>,
}

/// A final: a round robin on versions that cannot change any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FinalSettings {
    /// How often those meet who play together.
    pub(crate) games: u32,
    /// How many bots of authors take part at most: those that are best at the freeze.
    pub(crate) most: u32,
    /// How many hashes make the seed.
    pub(crate) steps: u64,
}

/// What an arena is the final of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FinalOf {
    /// The arena whose season is over.
    pub(crate) season: i64,
    /// How many matches the final has.
    pub(crate) matches: u64,
}

/// A built-in bot that plays along as a milestone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Boss {
    pub(crate) name: String,
    /// Its version: the season is bound to it.
    pub(crate) version: u32,
}

/// When people may hand in. Times are milliseconds since 1970 (UTC).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Season {
    /// Before it, nobody can hand in and nothing is played.
    pub(crate) begin: Option<i64>,
    /// After it, nobody can hand in. An upload that began before is in time.
    pub(crate) deadline: Option<i64>,
    /// After it, nothing is played: the tables stay as they are.
    pub(crate) freeze: Option<i64>,
    /// Whether an organiser has stopped matches for a while.
    #[serde(default)]
    pub(crate) is_paused: bool,
    /// Minutes that the organiser's clocks are ahead of UTC.
    pub(crate) offset: i32,
}

/// How long after a deadline an upload may take that began before it.
const UPLOAD: i64 = 60 * 1000;

/// When an upload came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Arrival {
    /// Before its body was read.
    pub(crate) began: i64,
    /// With its last byte.
    pub(crate) came: i64,
}

impl Arrival {
    /// What is here already comes now.
    pub(crate) fn now() -> Arrival {
        Arrival { began: super::now(), came: super::now() }
    }
}

impl Season {
    /// Returns whether matches are played at this time.
    pub(crate) fn is_playing(&self, now: i64) -> bool {
        !self.is_paused && self.is_between(now)
    }

    fn is_between(&self, now: i64) -> bool {
        self.begin.is_none_or(|begin| begin <= now) && self.freeze.is_none_or(|freeze| now < freeze)
    }

    /// Returns whether tables and fields stay as they are.
    pub(crate) fn is_frozen(&self, now: i64) -> bool {
        self.freeze.is_some_and(|freeze| freeze <= now)
    }

    /// Returns whether nobody can hand in any more, and nothing is played.
    pub(crate) fn is_over(&self, now: i64) -> bool {
        self.is_frozen(now) && self.deadline.is_none_or(|deadline| deadline <= now)
    }

    /// Returns whether an upload that began at this time is in time, for an author who perhaps has
    /// a later deadline. Nobody's is later than the freeze.
    pub(crate) fn is_open(&self, began: i64, extension: Option<i64>) -> bool {
        let is_in_time = |deadline: i64| began <= deadline;
        self.is_between(began)
            && (self.deadline.is_none_or(is_in_time) || extension.is_some_and(is_in_time))
    }

    /// Returns whether an upload is in time: it began before the deadline, and was whole soon
    /// after. Whoever sends the last part late could change it meanwhile.
    pub(crate) fn takes(&self, arrival: Arrival, extension: Option<i64>) -> bool {
        let Arrival { began, came } = arrival;
        self.is_open(began, extension)
            && (came - began <= UPLOAD || self.is_open(came - UPLOAD, extension))
    }
}

impl ArenaSettings {
    /// Returns what decides ranks.
    ///
    /// Nothing was chosen for finals, in which all play the same matches, nor for arenas that were
    /// frozen before it could be: their tables stay.
    pub(crate) fn ranks(&self) -> Ranks {
        self.ranks.unwrap_or(Ranks::unsaid())
    }

    /// Returns why this Agon cannot play the arena's matches, if it cannot.
    pub(crate) fn outdated(&self) -> Option<String> {
        let own = self.game.meta().rules_version;
        if own != self.rules_version {
            return Some(format!(
                "this season is for version {} of the rules of {}, but this Agon plays version \
                 {own}; it can be read, and an Agon with the old rules can verify it",
                self.rules_version, self.game
            ));
        }
        self.bosses.iter().find_map(|boss| {
            let own = boss_version(self.game, &boss.name);
            (own != Some(boss.version)).then(|| {
                format!(
                    "this season is for version {} of the built-in bot {}, but this Agon has {}; \
                     it can be read, and an Agon with the old bot can verify it",
                    boss.version,
                    boss.name,
                    own.map_or("no such bot".to_owned(), |own| format!("version {own}"))
                )
            })
        })
    }
}

/// Returns the version of a built-in bot in this Agon.
pub(crate) fn boss_version(game: GameId, name: &str) -> Option<u32> {
    let bot: agon_bots::BotSpec = format!("builtin:{name}").parse().ok()?;
    bot.version(game.kind())
}

row!(Arena { id, slug, title, settings, created });
json_column!(ArenaSettings);

impl Arena {
    /// Returns what its matches keep to, for the public log: what organisers wrote is not in it.
    pub(crate) fn terms(&self) -> String {
        let season = Season { is_paused: false, ..self.settings.season.clone() };
        let about = String::new();
        to_json(&ArenaSettings { season, about, ..self.settings.clone() })
    }

    /// Returns the statements that add the arena.
    pub(crate) fn insert(&self) -> Vec<Statement> {
        let sql = "INSERT INTO arenas (id, slug, title, settings, created)
            VALUES ($1, $2, $3, $4, $5)";
        let values = (self.id, &self.slug, &self.title, to_json(&self.settings), self.created);
        let mut statements = vec![statement(sql, values).once()];
        statements.extend(ledger::terms(self.id, &self.terms()));
        statements
    }

    /// Returns the statements that change title and settings.
    pub(crate) fn update(&self) -> Vec<Statement> {
        let sql = "UPDATE arenas SET title = $2, settings = $3 WHERE id = $1";
        let settings = to_json(&self.settings);
        let values = (self.id, &self.title, settings);
        let mut statements = vec![statement(sql, values).once()];
        statements.extend(ledger::terms(self.id, &self.terms()));
        statements
    }
}

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
pub(crate) fn give_extension(arena: i64, person: i64, until: Option<i64>) -> Statement {
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
    /// Returns all arenas, the oldest first.
    pub(crate) async fn arenas(&self) -> Stored<Vec<Arena>> {
        let sql = "SELECT id, slug, title, settings, created FROM arenas ORDER BY created, id";
        self.all(sql, ()).await
    }

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_upload_ends_soon_after_the_deadline() {
        let season = Season { deadline: Some(1_000_000), ..Season::default() };
        let takes = |began, came, until| season.takes(Arrival { began, came }, until);
        assert!(takes(999_999, 1_060_000, None), "it began in time, and took a minute");
        assert!(!takes(999_999, 1_060_001, None), "its last bytes came too late");
        assert!(takes(800_000, 1_000_000, None), "it took long, but ended in time");
        assert!(!takes(1_000_001, 1_000_002, None));
        assert!(takes(1_000_001, 1_000_002, Some(2_000_000)), "an author has more time");
        assert!(!takes(1_999_999, 2_060_001, Some(2_000_000)));
        // The freeze is the end for everybody.
        let season = Season { freeze: Some(1_000_000), ..Season::default() };
        let takes = |began, came| season.takes(Arrival { began, came }, None);
        assert!(takes(999_000, 1_059_000) && !takes(939_000, 1_061_000));
    }
}
