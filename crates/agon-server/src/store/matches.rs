//! Matches: planned, and played.
//!
//! A match is planned before it is played. What was planned and has no result, such as after a
//! crash, is played again under the same number; so no match is lost or counted twice.

use std::collections::BTreeMap;

use agon_core::Fault;
use agon_match::spec::{Digest, PlayedOn};
use serde::{Deserialize, Serialize};

use super::{Store, Stored, from_json, to_json};
use crate::database::{DatabaseError, Row, Statement, statement};

/// A match of an arena.
#[derive(Clone, Debug)]
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
    /// The versions of interpreters. Each different set is kept once.
    pub(crate) runtimes: BTreeMap<String, String>,
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MatchState {
    Planned,
    Played,
    /// It could not be played, through no fault of a bot. It counts for nothing.
    GivenUp,
    /// An organiser took it out of the count.
    Annulled,
}

impl MatchState {
    pub(crate) fn name(self) -> &'static str {
        match self {
            MatchState::Planned => "planned",
            MatchState::Played => "played",
            MatchState::GivenUp => "given_up",
            MatchState::Annulled => "annulled",
        }
    }

    fn of(text: &str) -> Stored<MatchState> {
        let all =
            [MatchState::Planned, MatchState::Played, MatchState::GivenUp, MatchState::Annulled];
        let unknown = || DatabaseError::Engine(format!("a match is `{text}`, which is unknown"));
        all.into_iter().find(|state| state.name() == text).ok_or_else(unknown)
    }
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
                outcome, logged, replay_removed, replay_erased, state_hash,
                (SELECT versions FROM runtimes WHERE id = matches.runtimes) FROM matches ",
            $rest
        )
    };
}

pub(super) use query;

pub(super) fn match_of(row: &Row) -> Stored<Match> {
    let replay: Option<Digest> = row.maybe_text(8).and_then(|text| text.parse().ok());
    let removed = row.maybe_int(11);
    Ok(Match {
        arena: row.int(0),
        number: row.count(1),
        state: MatchState::of(&row.text(2))?,
        seed: row.int(3).cast_unsigned(),
        planned: row.int(4),
        played: row.maybe_int(5),
        ms: row.maybe_int(6).map(i64::unsigned_abs),
        turns: row.maybe_int(7).map(i64::unsigned_abs),
        replay: replay.filter(|_| removed.is_none()),
        removed: replay.zip(removed).map(|(digest, at)| {
            let is_erased = row.int(12) != 0;
            RemovedReplay { digest, at, is_erased }
        }),
        outcome: row.maybe_text(9).map(|text| from_json(&text)).transpose()?,
        state_hash: row.maybe_int(13).map(i64::cast_unsigned),
        runtimes: row.maybe_text(14).map(|text| from_json(&text)).transpose()?.unwrap_or_default(),
        logged: row.maybe_int(10).map(i64::unsigned_abs),
    })
}

pub(super) fn seat_of(row: &Row) -> (u64, Seat) {
    let seat = Seat {
        seat: row.count(1) as usize,
        version: row.int(2),
        place: row.maybe_int(3).map(|place| place as u32),
        faults: row.count(4),
        cpu_us: row.maybe_int(5).map(i64::unsigned_abs),
        decisions: row.maybe_int(6).map(i64::unsigned_abs),
        rating: row.maybe_real(7),
        stderr: row.maybe_text(8),
        cost: row.maybe_text(9).and_then(|text| from_json(&text).ok()),
    };
    (row.count(0), seat)
}

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
    let row = [arena.into(), number.into(), seed.into(), at.into()];
    let mut statements = vec![statement(sql, row).once()];
    for (seat, version) in versions.iter().enumerate() {
        let sql = "INSERT INTO seats (arena, number, seat, version) VALUES ($1, $2, $3, $4)";
        let row = [arena.into(), number.into(), (seat as i64).into(), (*version).into()];
        statements.push(statement(sql, row).once());
    }
    statements
}

impl Match {
    /// Returns the statements that note how a planned match ended. They fail if the match has a
    /// result already. The entry of the log about it must be the last one.
    pub(crate) fn end(&self) -> Vec<Statement> {
        let runtimes = (!self.runtimes.is_empty()).then(|| to_json(&self.runtimes));
        let known = "INSERT INTO runtimes (id, versions)
            VALUES ((SELECT coalesce(max(id), 0) + 1 FROM runtimes), $1)
            ON CONFLICT (versions) DO NOTHING";
        let known = runtimes.as_deref().map(|versions| statement(known, [versions.into()]));
        let sql = "UPDATE matches SET state = $3, played = $4, ms = $5, turns = $6, replay = $7,
                outcome = $8, state_hash = $9, logged = (SELECT max(number) FROM log),
                runtimes = (SELECT id FROM runtimes WHERE versions = $10)
            WHERE arena = $1 AND number = $2 AND state = 'planned'";
        let values = [
            self.arena.into(),
            self.number.into(),
            self.state.name().into(),
            self.played.into(),
            self.ms.into(),
            self.turns.into(),
            self.replay.map(|digest| digest.to_string()).into(),
            self.outcome.as_ref().map(to_json).into(),
            self.state_hash.into(),
            runtimes.into(),
        ];
        known.into_iter().chain([statement(sql, values).once()]).collect()
    }
}

impl Seat {
    /// Returns the statement that notes what a seat of a match did.
    pub(crate) fn end(&self, arena: i64, number: u64) -> Statement {
        let sql = "UPDATE seats SET place = $4, faults = $5, cpu_us = $6, decisions = $7,
                rating = $8, stderr = $9, cost = $10
            WHERE arena = $1 AND number = $2 AND seat = $3";
        let values = [
            arena.into(),
            number.into(),
            (self.seat as i64).into(),
            self.place.into(),
            self.faults.into(),
            self.cpu_us.into(),
            self.decisions.into(),
            self.rating.into(),
            self.stderr.as_deref().into(),
            self.cost.as_ref().map(to_json).into(),
        ];
        statement(sql, values).once()
    }
}

/// Returns the statement that takes a played match out of the count.
pub(crate) fn annul(arena: i64, number: u64, outcome: &Outcome) -> Statement {
    let sql = "UPDATE matches SET state = 'annulled', outcome = $3
        WHERE arena = $1 AND number = $2 AND state = 'played'";
    statement(sql, [arena.into(), number.into(), to_json(outcome).into()]).once()
}

/// Returns the statement that puts an annulled match into the count again.
pub(crate) fn restore(arena: i64, number: u64, outcome: &Outcome) -> Statement {
    let sql = "UPDATE matches SET state = 'played', outcome = $3
        WHERE arena = $1 AND number = $2 AND state = 'annulled'";
    statement(sql, [arena.into(), number.into(), to_json(outcome).into()]).once()
}

impl Store {
    /// Returns the number of the last match of an arena; 0 if there is none.
    pub(crate) async fn last_match(&self, arena: i64) -> Stored<u64> {
        self.count("SELECT coalesce(max(number), 0) FROM matches WHERE arena = $1", [arena.into()])
            .await
    }

    /// Finds a match.
    pub(crate) async fn seated_match(
        &self,
        arena: i64,
        number: u64,
    ) -> Stored<Option<SeatedMatch>> {
        let sql = query!("WHERE arena = $1 AND number = $2");
        let Some(row) = self.row(sql, [arena.into(), number.into()]).await? else {
            return Ok(None);
        };
        let sql =
            "SELECT number, seat, version, place, faults, cpu_us, decisions, rating, stderr, cost
            FROM seats WHERE arena = $1 AND number = $2 ORDER BY seat";
        let seats = self.rows(sql, [arena.into(), number.into()]).await?;
        let seats = seats.iter().map(|row| seat_of(row).1).collect();
        Ok(Some(SeatedMatch { of: match_of(&row)?, seats }))
    }

    /// Returns the matches that were planned and have no result.
    pub(crate) async fn planned_matches(&self, arena: i64) -> Stored<Vec<SeatedMatch>> {
        // The sum keeps SQLite from going through all matches by their key: few are planned, and
        // those have an index. The join is crossed so that it begins with them.
        let matches = query!("WHERE arena + 0 = $1 AND state = 'planned' ORDER BY number");
        let seats = "SELECT seats.number, seat, version, place, faults, cpu_us, decisions, rating,
                stderr, cost
            FROM matches CROSS JOIN seats
            WHERE matches.arena + 0 = $1 AND state = 'planned'
                AND seats.arena = $1 AND seats.number = matches.number
            ORDER BY matches.number, seat";
        let matches = self.rows(matches, [arena.into()]).await?;
        let seats = self.rows(seats, [arena.into()]).await?;
        let matches = matches.iter().map(match_of).collect::<Stored<Vec<_>>>()?;
        Ok(seated(matches, seats.iter().map(seat_of)))
    }

    /// Returns matches of an arena that are over, the last first, before a number.
    pub(crate) async fn latest_matches(
        &self,
        arena: i64,
        before: u64,
        most: u32,
    ) -> Stored<Vec<SeatedMatch>> {
        let matches = query!(
            "WHERE arena = $1 AND number < $2 AND state <> 'planned'
             ORDER BY number DESC LIMIT $3"
        );
        let values = [arena.into(), before.into(), most.into()];
        self.with_seats(self.rows(matches, values).await?).await
    }

    /// Returns matches of a version that are over, the last first, without the first `skipped`.
    pub(crate) async fn matches_of(
        &self,
        version: i64,
        skipped: u64,
        most: u32,
    ) -> Stored<Vec<SeatedMatch>> {
        let matches = query!(
            "JOIN seats ON seats.arena = matches.arena AND seats.number = matches.number
             WHERE seats.version = $1 AND state <> 'planned'
             ORDER BY seats.number DESC LIMIT $2 OFFSET $3"
        );
        let values = [version.into(), most.into(), skipped.into()];
        self.with_seats(self.rows(matches, values).await?).await
    }

    async fn with_seats(&self, matches: Vec<Row>) -> Stored<Vec<SeatedMatch>> {
        let mut all = Vec::new();
        for row in &matches {
            let of = match_of(row)?;
            let sql = "SELECT number, seat, version, place, faults, cpu_us, decisions, rating,
                    stderr, cost
                FROM seats WHERE arena = $1 AND number = $2 ORDER BY seat";
            let seats = self.rows(sql, [of.arena.into(), of.number.into()]).await?;
            all.push(SeatedMatch { of, seats: seats.iter().map(|row| seat_of(row).1).collect() });
        }
        Ok(all)
    }
}

/// Puts matches and their seats together.
pub(super) fn seated(
    matches: Vec<Match>,
    seats: impl IntoIterator<Item = (u64, Seat)>,
) -> Vec<SeatedMatch> {
    let with_seats = |of| SeatedMatch { of, seats: Vec::new() };
    let mut all: Vec<SeatedMatch> = matches.into_iter().map(with_seats).collect();
    for (number, seat) in seats {
        if let Ok(at) = all.binary_search_by_key(&number, |seated| seated.of.number) {
            all[at].seats.push(seat);
        }
    }
    all
}
