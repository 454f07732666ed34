//! Matches: planned, and played; live ratings of versions as they were after them.
//!
//! A match is planned before it is played. What was planned and has no result, such as after a
//! crash, is played again under the same number; so no match is lost or counted twice.

use std::slice::Iter;

use agon_core::Fault;
use agon_match::spec::{Digest, PlayedOn};
use serde::{Deserialize, Serialize};

use super::{Store, Stored, to_json};
use crate::database::{FromRow, Statement, Value, json_column, name_column, row, statement};

/// A match of an arena.
#[derive(Clone, Debug, Default)]
pub(crate) struct Match {
    pub(crate) arena: i64,
    /// From 1.
    pub(crate) number: u64,
    pub(crate) state: MatchState,
    pub(crate) seed: u64,
    pub(crate) planned: i64,
    /// When it was over.
    pub(crate) played: Option<i64>,
    /// How long it took.
    pub(crate) ms: Option<u64>,
    pub(crate) turns: Option<u64>,
    pub(crate) replay: Option<Digest>,
    /// The replay that was removed; then there is no other.
    pub(crate) removed: Option<RemovedReplay>,
    pub(crate) outcome: Option<Outcome>,
    /// The hash of the last state.
    pub(crate) state_hash: Option<u64>,
    /// The entry of the log with its result; whoever writes a result need not know it.
    pub(crate) logged: Option<u64>,
}

/// A replay that was removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RemovedReplay {
    pub(crate) digest: Digest,
    /// When it was removed.
    pub(crate) at: i64,
    /// Whether it was removed because an author was erased, and not because of its age.
    pub(crate) is_erased: bool,
}

/// What became of a match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum MatchState {
    #[default]
    Planned,
    Played,
    /// It could not be played, through no fault of a bot. It counts for nothing.
    GivenUp,
    /// An organiser took it out of the count.
    Annulled,
}

/// How a match ended, beside its places.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Outcome {
    /// "most cells after 500 turns"; or why it was given up.
    pub(crate) reason: String,
    /// Why an organiser took it out of the count.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) annulled: String,
    /// How often it was void and played again.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) void: usize,
    /// The faults, the first of each kind and player, with evidence.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) faults: Vec<Fault>,
    /// The machine that played it, if the server did not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) machine: Option<PlayedOn>,
}

/// There are millions of outcomes, so what nearly all have in common is left out.
fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// Writes the hash of a state as the log does.
pub(crate) fn hash_text(hash: u64) -> String {
    format!("{hash:#018x}")
}

/// A seat of a match.
#[derive(Clone, Debug)]
pub(crate) struct Seat {
    /// From 0.
    pub(crate) seat: usize,
    pub(crate) version: i64,
    pub(crate) place: Option<u32>,
    /// How many faults it committed.
    pub(crate) faults: u64,
    pub(crate) cpu_us: Option<u64>,
    pub(crate) decisions: Option<u64>,
    /// The version's live rating when the match ended.
    pub(crate) rating: Option<f64>,
    /// What its decisions cost, for its author.
    pub(crate) cost: Option<Cost>,
    /// The end of what it wrote to stderr, for its author.
    pub(crate) stderr: Option<String>,
}

/// What the decisions of a bot cost in a match.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Cost {
    /// CPU time of a decision in nanoseconds: the median, the 99th percentile, the most.
    pub(crate) median: u64,
    pub(crate) p99: u64,
    pub(crate) most: u64,
    /// Peak of resident memory, in bytes.
    pub(crate) memory: Option<u64>,
}

/// A match with its seats.
#[derive(Clone, Debug)]
pub(crate) struct SeatedMatch {
    pub(crate) of: Match,
    pub(crate) seats: Vec<Seat>,
}

/// Makes a query for matches.
macro_rules! query {
    ($rest:literal) => {
        concat!(
            "SELECT matches.arena, matches.number, state, seed, planned, played, ms, turns, replay,
                outcome, logged, replay_removed, replay_erased, state_hash FROM matches ",
            $rest
        )
    };
}

/// Makes a query for seats, each after the number of its match.
macro_rules! seats {
    ($from:literal) => {
        concat!(
            "SELECT seats.number, seat, version, place, faults, cpu_us, decisions, rating, stderr,
                cost ",
            $from
        )
    };
}

impl FromRow for Match {
    fn from_row(values: &mut Iter<'_, Value>) -> Stored<Match> {
        let (arena, number, state, seed) = FromRow::from_row(values)?;
        let (planned, played, ms, turns, replay) = FromRow::from_row(values)?;
        let (outcome, logged, removed_at, is_erased, state_hash) = FromRow::from_row(values)?;
        let (replay, removed) = match (replay, removed_at) {
            (Some(digest), Some(at)) => (None, Some(RemovedReplay { digest, at, is_erased })),
            (replay, _) => (replay, None),
        };
        Ok(Match {
            arena,
            number,
            state,
            seed: i64::cast_unsigned(seed),
            planned,
            played,
            ms,
            turns,
            replay,
            removed,
            outcome,
            state_hash: Option::map(state_hash, i64::cast_unsigned),
            logged,
        })
    }
}

row!(Seat { seat, version, place, faults, cpu_us, decisions, rating, stderr, cost });
json_column!(Outcome, Cost);
name_column!(MatchState);

/// Returns the statements that plan a match.
pub(crate) fn plan(
    arena: i64,
    number: u64,
    seed: u64,
    versions: &[i64],
    at: i64,
) -> Vec<Statement> {
    let sql = "INSERT INTO matches (arena, number, state, seed, planned)
        VALUES ($1, $2, 'planned', $3, $4)";
    let mut statements = vec![statement(sql, (arena, number, seed.cast_signed(), at)).once()];
    for (seat, version) in versions.iter().enumerate() {
        let sql = "INSERT INTO seats (arena, number, seat, version) VALUES ($1, $2, $3, $4)";
        let row = (arena, number, seat as i64, *version);
        statements.push(statement(sql, row).once());
    }
    statements
}

impl Match {
    /// Returns the statements that note how a planned match ended. They fail if the match has a
    /// result already. The entry of the log about it must be the last one.
    pub(crate) fn end(&self) -> Vec<Statement> {
        let sql = "UPDATE matches SET state = $3, played = $4, ms = $5, turns = $6, replay = $7,
                outcome = $8, state_hash = $9, logged = (SELECT max(number) FROM log)
            WHERE arena = $1 AND number = $2 AND state = 'planned'";
        let Match { arena, number, state, played, ms, turns, replay, .. } = *self;
        let outcome = self.outcome.as_ref().map(to_json);
        let state_hash = self.state_hash.map(u64::cast_signed);
        let values = (arena, number, state, played, ms, turns, replay, outcome, state_hash);
        vec![statement(sql, values).once()]
    }
}

impl Seat {
    /// Returns the statement that notes what a seat of a match did.
    pub(crate) fn end(&self, arena: i64, number: u64) -> Statement {
        let sql = "UPDATE seats SET place = $4, faults = $5, cpu_us = $6, decisions = $7,
                rating = $8, stderr = $9, cost = $10
            WHERE arena = $1 AND number = $2 AND seat = $3";
        let Seat { seat, place, faults, cpu_us, decisions, rating, .. } = *self;
        let (stderr, cost) = (self.stderr.as_deref(), self.cost.as_ref().map(to_json));
        let values = (arena, number, seat, place, faults, cpu_us, decisions, rating, stderr, cost);
        statement(sql, values).once()
    }
}

/// Returns the statement that takes a played match out of the count.
pub(crate) fn annul(arena: i64, number: u64, outcome: &Outcome) -> Statement {
    let sql = "UPDATE matches SET state = 'annulled', outcome = $3
        WHERE arena = $1 AND number = $2 AND state = 'played'";
    statement(sql, (arena, number, to_json(outcome))).once()
}

/// Returns the statement that puts an annulled match into the count again.
pub(crate) fn restore(arena: i64, number: u64, outcome: &Outcome) -> Statement {
    let sql = "UPDATE matches SET state = 'played', outcome = $3
        WHERE arena = $1 AND number = $2 AND state = 'annulled'";
    statement(sql, (arena, number, to_json(outcome))).once()
}

impl Store {
    /// Returns the number of the last match of an arena; 0 if there is none.
    pub(crate) async fn last_match(&self, arena: i64) -> Stored<u64> {
        let sql = "SELECT coalesce(max(number), 0) FROM matches WHERE arena = $1";
        self.count(sql, (arena,)).await
    }

    /// Finds a match.
    pub(crate) async fn seated_match(
        &self,
        arena: i64,
        number: u64,
    ) -> Stored<Option<SeatedMatch>> {
        let sql = query!("WHERE arena = $1 AND number = $2");
        let Some(of) = self.first(sql, (arena, number)).await? else { return Ok(None) };
        let sql = seats!("FROM seats WHERE arena = $1 AND number = $2 ORDER BY seat");
        let seats = self.all::<(u64, Seat)>(sql, (arena, number)).await?;
        Ok(Some(SeatedMatch { of, seats: seats.into_iter().map(|(_, seat)| seat).collect() }))
    }

    /// Returns the matches that were planned and have no result.
    pub(crate) async fn planned_matches(&self, arena: i64) -> Stored<Vec<SeatedMatch>> {
        // The sum keeps SQLite from going through all matches by their key: few are planned, and
        // those have an index. The join is crossed so that it begins with them.
        let matches = query!("WHERE arena + 0 = $1 AND state = 'planned' ORDER BY number");
        let seats = seats!(
            "FROM matches CROSS JOIN seats
             WHERE matches.arena + 0 = $1 AND state = 'planned'
                AND seats.arena = $1 AND seats.number = matches.number
             ORDER BY matches.number, seat"
        );
        let matches = self.all(matches, (arena,)).await?;
        Ok(seated(matches, self.all(seats, (arena,)).await?))
    }

    /// Returns matches of an arena that are over, with numbers above `after` up to `last`, in
    /// order, for exports and lists.
    pub(crate) async fn matches_after(
        &self,
        arena: i64,
        after: u64,
        last: u64,
        most: u32,
    ) -> Stored<Vec<SeatedMatch>> {
        let sql = query!(
            "WHERE arena = $1 AND number > $2 AND number <= $3 AND state <> 'planned'
             ORDER BY number LIMIT $4"
        );
        let matches: Vec<Match> = self.all(sql, (arena, after, last, most)).await?;
        let Some(end) = matches.last().map(|of| of.number) else { return Ok(Vec::new()) };
        // What bots wrote is left out: it may be long.
        let sql = "SELECT number, seat, version, place, faults, cpu_us, decisions, rating, NULL,
                NULL
            FROM seats WHERE arena = $1 AND number > $2 AND number <= $3 ORDER BY number, seat";
        Ok(seated(matches, self.all(sql, (arena, after, end)).await?))
    }

    /// Returns a version's live ratings after its matches with the times of these, in order: at
    /// most about `most`.
    ///
    /// If there are more, they are spread evenly over the arena's matches from its first to its
    /// last one. So it takes the same time for a version with a million matches.
    pub(crate) async fn ratings_of(
        &self,
        version: i64,
        matches: u64,
        most: u32,
    ) -> Stored<Vec<(i64, f64)>> {
        const ALL: &str = "SELECT matches.played, rating FROM seats
            JOIN matches ON matches.arena = seats.arena AND matches.number = seats.number
            WHERE version = $1 AND rating IS NOT NULL AND matches.played IS NOT NULL
            ORDER BY seats.number LIMIT $2";
        // Each step looks up the first match behind the last one and not before its own place. The
        // joins are crossed so that SQLite begins with the few points.
        const SPREAD: &str = "WITH RECURSIVE
            ends (first, last) AS (
                SELECT (SELECT number FROM seats WHERE version = $1 AND rating IS NOT NULL
                        ORDER BY number LIMIT 1),
                    (SELECT number FROM seats WHERE version = $1 AND rating IS NOT NULL
                        ORDER BY number DESC LIMIT 1)
            ),
            points (step, number) AS (
                SELECT CAST(0 AS BIGINT), first FROM ends WHERE first IS NOT NULL
                UNION ALL
                SELECT step + 1, (
                    SELECT seats.number FROM seats
                    WHERE version = $1 AND rating IS NOT NULL AND seats.number > CASE
                        WHEN points.number < first + (last - first) * (step + 1) / $2
                        THEN first + (last - first) * (step + 1) / $2 - 1
                        ELSE points.number END
                    ORDER BY seats.number LIMIT 1
                )
                FROM points, ends WHERE step < $2 AND points.number < last
            )
            SELECT matches.played, seats.rating FROM points CROSS JOIN seats CROSS JOIN matches
            WHERE seats.version = $1 AND seats.number = points.number
                AND matches.arena = seats.arena AND matches.number = seats.number
                AND matches.played IS NOT NULL
            ORDER BY points.number";
        let sql = if matches <= most.into() { ALL } else { SPREAD };
        self.all(sql, (version, most)).await
    }

    /// Returns a version's live ratings after its last matches, the last one first.
    pub(crate) async fn last_ratings(&self, version: i64, most: u32) -> Stored<Vec<f64>> {
        let sql = "SELECT rating FROM seats WHERE version = $1 AND rating IS NOT NULL
            ORDER BY number DESC LIMIT $2";
        self.all(sql, (version, most)).await
    }
}

/// Puts matches, in order of their numbers, and their seats together.
fn seated(matches: Vec<Match>, seats: Vec<(u64, Seat)>) -> Vec<SeatedMatch> {
    let with_seats = |of| SeatedMatch { of, seats: Vec::new() };
    let mut all: Vec<SeatedMatch> = matches.into_iter().map(with_seats).collect();
    for (number, seat) in seats {
        if let Ok(at) = all.binary_search_by_key(&number, |seated| seated.of.number) {
            all[at].seats.push(seat);
        }
    }
    all
}
