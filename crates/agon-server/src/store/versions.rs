//! Versions of bots. A rating belongs to a version.

use std::ops::Deref;

use agon_ladder::api::ExaminationStatus;
use agon_match::spec::Digest;
use serde::{Deserialize, Serialize};

use super::{Store, Stored, to_json};
use crate::database::{Params, Statement, json_column, name_column, row, statement};
use crate::intake::lanes::Waiting;

/// A version of a bot.
#[derive(Clone, Debug, Default)]
pub(crate) struct Version {
    pub(crate) id: i64,
    pub(crate) bot: i64,
    /// From 1, in order of hand-ins.
    pub(crate) number: u32,
    pub(crate) state: State,
    /// The files that were handed in; `None` for a built-in bot.
    pub(crate) source: Option<Digest>,
    /// The files that play, once they are built.
    pub(crate) built: Option<Digest>,
    /// The bot as `agon play` takes it in the folder of its files.
    pub(crate) run: String,
    /// The programming language, for people.
    pub(crate) language: String,
    /// What its author says is new.
    pub(crate) message: String,
    pub(crate) created: i64,
    /// When it became ready.
    pub(crate) ready: Option<i64>,
    pub(crate) report: Option<Report>,
    pub(crate) play: PlayState,
}

/// What the ladder knows of a version.
#[derive(Clone, Debug, Default)]
pub(crate) struct PlayState {
    pub(crate) mu: f64,
    pub(crate) sigma: f64,
    pub(crate) matches: u64,
    pub(crate) wins: u64,
    pub(crate) ties: u64,
    pub(crate) losses: u64,
    /// Matches in which it committed a fault.
    pub(crate) faults: u64,
    pub(crate) pass: u64,
    pub(crate) mean_us: u64,
    pub(crate) seats: Vec<u64>,
    /// Matches that it owed when this was read: [`keep`] counts them down, and writes no others.
    pub(crate) owed: u64,
}

/// How far a version has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum State {
    /// It waits for others to be built.
    #[default]
    Waiting,
    Building,
    Checking,
    /// It can play.
    Ready,
    /// It was not entered; its report says why.
    Refused,
}

impl State {
    /// Returns its name, as the database has it.
    pub(crate) fn name(self) -> String {
        format!("{self:?}").to_lowercase()
    }

    /// Returns whether it will change by itself.
    pub(crate) fn is_open(self) -> bool {
        !matches!(self, State::Ready | State::Refused)
    }
}

/// What building and checking a version found.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Report {
    /// Why it was refused, in a sentence.
    #[serde(default)]
    pub(crate) refused: Option<String>,
    /// What the build or the loader wrote, if it failed.
    #[serde(default)]
    pub(crate) output: String,
    /// The examinations of `agon check`.
    #[serde(default)]
    pub(crate) checks: Vec<Check>,
    /// How long building and checking took, in milliseconds.
    #[serde(default)]
    pub(crate) ms: u64,
}

/// An examination of `agon check`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Check {
    pub(crate) number: u8,
    pub(crate) topic: String,
    pub(crate) status: ExaminationStatus,
    pub(crate) found: String,
    #[serde(default)]
    pub(crate) remedy: Option<String>,
    /// What the bot wrote to stderr and how it ended, if it failed.
    #[serde(default)]
    pub(crate) evidence: String,
}

/// Makes a query for versions.
macro_rules! query {
    ($rest:literal) => {
        concat!(
            "SELECT versions.id, bot, number, state, source, built, run, language, message,
                versions.created, ready, report, mu, sigma, matches, wins, ties, losses, faults,
                pass, mean_us, seats, owed FROM versions ",
            $rest
        )
    };
}

row!(Version {
    id,
    bot,
    number,
    state,
    source,
    built,
    run,
    language,
    message,
    created,
    ready,
    report,
    play,
});
row!(PlayState { mu, sigma, matches, wins, ties, losses, faults, pass, mean_us, seats, owed });
row!(Brief { id, bot, number, language, play });
row!(Waiting { id, author });
json_column!(Report, Vec<u64>);
name_column!(State);

impl Version {
    /// Returns the statement that adds the version.
    pub(crate) fn insert(&self) -> Statement {
        let sql = "INSERT INTO versions (id, bot, number, state, source, built, run, language,
                message, created, ready, mu, sigma, mean_us)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)";
        let Version { id, bot, number, state, source, built, created, ready, .. } = *self;
        let (run, language, message) = (&self.run, &self.language, &self.message);
        let PlayState { mu, sigma, mean_us, .. } = self.play;
        let values = Vec::from_iter([
            (id, bot, number, state, source, built, run, language).values(),
            (message, created, ready, mu, sigma, mean_us).values(),
        ]);
        statement(sql, values.concat()).once()
    }
}

/// Returns the statement that moves a version from one state to another. It fails if the version is
/// not to be built any more.
pub(crate) fn set_state(version: i64, state: State) -> Statement {
    let sql = "UPDATE versions SET state = $2
        WHERE id = $1 AND state IN ('waiting', 'building', 'checking')";
    statement(sql, (version, state)).once()
}

/// Returns the statement that notes how building and checking ended. It fails if the version is not
/// to be built any more.
pub(crate) fn finish(
    version: i64,
    state: State,
    built: Option<Digest>,
    report: &Report,
    at: i64,
) -> Statement {
    let sql = "UPDATE versions SET state = $2, built = $3, report = $4, ready = $5
        WHERE id = $1 AND state IN ('waiting', 'building', 'checking')";
    let ready = (state == State::Ready).then_some(at);
    let values = (version, state, built, to_json(report), ready);
    statement(sql, values).once()
}

/// Returns the statement that has a version play so many matches before it has a rank again.
///
/// It plays again, after a pause or after another version: a rank has to be defended, so that
/// nobody keeps one by not playing.
pub(crate) fn owe(version: i64, matches: u32) -> Statement {
    let sql = "UPDATE versions SET owed = $2 WHERE id = $1";
    statement(sql, (version, matches)).once()
}

/// Returns the statement that keeps what the ladder knows of a version after a match, which it owes
/// no longer.
pub(crate) fn keep(version: i64, play: &PlayState) -> Statement {
    let sql = "UPDATE versions SET mu = $2, sigma = $3, matches = $4, wins = $5, ties = $6,
            losses = $7, faults = $8, pass = $9, mean_us = $10, seats = $11,
            owed = CASE WHEN owed > 0 THEN owed - 1 ELSE 0 END
        WHERE id = $1";
    let PlayState { mu, sigma, matches, wins, ties, losses, faults, pass, mean_us, .. } = *play;
    let seats = to_json(&play.seats);
    let values = (version, mu, sigma, matches, wins, ties, losses, faults, pass, mean_us, seats);
    statement(sql, values).once()
}

/// What lists show of a version that is or was ready.
#[derive(Clone, Debug, Default)]
pub(crate) struct Brief {
    pub(crate) id: i64,
    pub(crate) bot: i64,
    pub(crate) number: u32,
    pub(crate) language: String,
    pub(crate) play: PlayState,
}

impl Brief {
    /// Returns what lists show of a version.
    pub(crate) fn of(version: &Version) -> Brief {
        let Version { id, bot, number, ref language, ref play, .. } = *version;
        Brief { id, bot, number, language: language.clone(), play: play.clone() }
    }
}

impl Deref for Brief {
    type Target = PlayState;

    fn deref(&self) -> &PlayState {
        &self.play
    }
}

impl Store {
    /// Returns what lists show of an arena's versions that are or were ready.
    pub(crate) async fn brief_versions(&self, arena: i64) -> Stored<Vec<Brief>> {
        let sql = "SELECT versions.id, bot, number, language, mu, sigma, matches, wins, ties,
                losses, faults, pass, mean_us, seats, owed
            FROM versions JOIN bots ON bots.id = versions.bot
            WHERE bots.arena = $1 AND state = 'ready' ORDER BY versions.id";
        self.all(sql, (arena,)).await
    }

    /// Finds a version by id.
    pub(crate) async fn version(&self, id: i64) -> Stored<Option<Version>> {
        self.first(query!("WHERE id = $1"), (id,)).await
    }

    /// Returns the versions of a bot, the latest first.
    pub(crate) async fn versions(&self, bot: i64) -> Stored<Vec<Version>> {
        let sql = query!("WHERE bot = $1 ORDER BY number DESC");
        self.all(sql, (bot,)).await
    }

    /// Returns how far the latest versions of a bot are: id, number, state, matches.
    pub(crate) async fn latest_states(
        &self,
        bot: i64,
        most: u32,
    ) -> Stored<Vec<(i64, u32, State, u64)>> {
        let sql = "SELECT id, number, state, matches FROM versions WHERE bot = $1
            ORDER BY number DESC LIMIT $2";
        self.all(sql, (bot, most)).await
    }

    /// Returns all versions of an arena that are or were ready, without their reports, which may be
    /// long.
    pub(crate) async fn ready_versions(&self, arena: i64) -> Stored<Vec<Version>> {
        let sql = "SELECT versions.id, bot, number, state, source, built, run, language, message,
                versions.created, ready, NULL, mu, sigma, matches, wins, ties, losses, faults,
                pass, mean_us, seats, owed
            FROM versions JOIN bots ON bots.id = versions.bot
            WHERE bots.arena = $1 AND state = 'ready' ORDER BY versions.created, versions.id";
        self.all(sql, (arena,)).await
    }

    /// Returns the versions that are still to be built or checked, the oldest first.
    pub(crate) async fn open_versions(&self) -> Stored<Vec<Version>> {
        let sql = query!(
            "WHERE state IN ('waiting', 'building', 'checking')
             ORDER BY versions.created, versions.id"
        );
        self.all(sql, ()).await
    }

    /// Returns the versions that are still to be built or checked, each with its author, the oldest
    /// first.
    pub(crate) async fn open_work(&self) -> Stored<Vec<Waiting>> {
        let sql = "SELECT versions.id, coalesce(bots.owner, bots.id)
            FROM versions JOIN bots ON bots.id = versions.bot
            WHERE state IN ('waiting', 'building', 'checking')
            ORDER BY versions.created, versions.id";
        self.all(sql, ()).await
    }

    /// Returns how many versions of an arena are waiting, or being built or checked.
    pub(crate) async fn unfinished(&self, arena: i64) -> Stored<u64> {
        let sql = "SELECT count(*) FROM versions JOIN bots ON bots.id = versions.bot
            WHERE bots.arena = $1 AND state IN ('waiting', 'building', 'checking')";
        self.count(sql, (arena,)).await
    }

    /// Returns how many versions of a bot were handed in since a time.
    pub(crate) async fn handed_in_since(&self, bot: i64, since: i64) -> Stored<u64> {
        let sql = "SELECT count(*) FROM versions WHERE bot = $1 AND created >= $2";
        self.count(sql, (bot, since)).await
    }
}
