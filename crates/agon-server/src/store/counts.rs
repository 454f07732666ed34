//! Counted results: how often which versions met with which end, and the tables made of them.
//!
//! Equal results are counted in one row, because tables are made of these. What pages need of all
//! of them, or of a version, is kept beside it in the same transaction: totals of each arena, and
//! pairs of versions.

use std::{collections::BTreeMap, slice::Iter};

use agon_ladder::{CountedResults, VersionId};
use tokio::sync::mpsc;

use super::{Store, Stored};
use crate::database::{Column, DatabaseError, FromRow, Row, Statement, Value, row, statement};

/// How often a result was there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Count {
    pub(crate) players: Vec<i64>,
    pub(crate) places: Vec<u32>,
    pub(crate) count: u64,
}

/// Sums of an arena's counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Totals {
    /// Matches that count.
    pub(crate) matches: u64,
    /// Different results: who played, and how it ended.
    pub(crate) results: u64,
}

/// The most versions of [`Store::pairs_among`].
pub(crate) const AMONG: usize = 30;

/// Parts of the counts that wait while others are added.
const WAITING: usize = 4;

/// Returns the statements that count a result, or take it out again: `by` is 1 or -1.
///
/// Equal results are counted in one row, whatever their seats: `players` are in order of their ids.
pub(crate) fn count(arena: i64, players: &[i64], places: &[u32], by: i64) -> Vec<Statement> {
    let sql = "INSERT INTO counts (arena, players, places, count) VALUES ($1, $2, $3, $4)
        ON CONFLICT (arena, players, places) DO UPDATE SET count = counts.count + $4";
    let (names, ends) = (bytes_of_ids(players), bytes_of_places(places));
    let row = (arena, names.clone(), ends.clone(), by);
    let mut statements = vec![statement(sql, row), total(arena, names, ends, by)];
    for (&one, place) in players.iter().zip(places) {
        for (&other, behind) in players.iter().zip(places).filter(|(other, _)| **other != one) {
            let sql = "INSERT INTO pairs (version, other, wins, ties, losses)
                VALUES ($1, $2, $3, $4, $5)
                ON CONFLICT (version, other) DO UPDATE SET wins = pairs.wins + $3,
                    ties = pairs.ties + $4, losses = pairs.losses + $5";
            let of = |is_so: bool| if is_so { by } else { 0 };
            let counts = [of(place < behind), of(place == behind), of(place > behind)];
            let [wins, ties, losses] = counts;
            statements.push(statement(sql, (one, other, wins, ties, losses)));
        }
    }
    statements
}

/// Returns the statement that keeps the totals after a count has changed by 1 or -1: a result is
/// new if it is there once now, and one is gone if it is not there any more.
fn total(arena: i64, players: Value, places: Value, by: i64) -> Statement {
    let sql = "INSERT INTO totals (arena, matches, results)
        SELECT arena, CAST($4 AS BIGINT),
            CASE WHEN count = $5 THEN CAST($4 AS BIGINT) ELSE 0 END
        FROM counts WHERE arena = $1 AND players = $2 AND places = $3
        ON CONFLICT (arena) DO UPDATE SET matches = totals.matches + excluded.matches,
            results = totals.results + excluded.results";
    let changed = if by > 0 { by } else { 0 };
    statement(sql, (arena, players, places, by, changed)).once()
}

impl Store {
    /// Returns the sums of an arena's counts.
    pub(crate) async fn totals(&self, arena: i64) -> Stored<Totals> {
        let sql = "SELECT matches, results FROM totals WHERE arena = $1";
        Ok(self.first(sql, (arena,)).await?.unwrap_or_default())
    }

    /// Collects all counted results of an arena, with the number of entries of the log that they
    /// are from. There may be millions: they are never all in memory as rows.
    pub(crate) async fn counted_results(&self, arena: i64) -> Stored<(u64, CountedResults)> {
        loop {
            // One statement sees one moment. The primary key has the rows in this order: the first
            // one comes without a sort of all.
            let sql =
                "SELECT players, places, count, (SELECT coalesce(max(number) + 1, 0) FROM log)
                FROM counts WHERE arena = $1 AND count > 0 ORDER BY players, places";
            let mut size = None;
            let mut results = CountedResults::default();
            let collect = |(count, before)| {
                size = Some(before);
                add(&mut results, count)
            };
            self.each(sql, arena, collect).await?;
            if let Some(size) = size {
                return Ok((size, results));
            }
            // No row has told the size. If there is a result now, it is read once more.
            let sql = "SELECT coalesce(max(number) + 1, 0), (SELECT count(*) FROM
                    (SELECT 1 FROM counts WHERE arena = $1 AND count > 0 LIMIT 1) AS one)
                FROM log";
            if let Some((size, 0_u64)) = self.first(sql, (arena,)).await? {
                return Ok((size, results));
            }
        }
    }

    /// Hands over the rows of a query about an arena one by one: they may be more than fit into
    /// memory.
    async fn each<T: FromRow>(
        &self,
        sql: &'static str,
        arena: i64,
        mut each: impl FnMut(T) -> Stored<()>,
    ) -> Stored<()> {
        let (sender, mut received) = mpsc::channel::<Vec<Row>>(WAITING);
        // It takes the receiver: if it fails, the reader ends too.
        let take = async move {
            while let Some(part) = received.recv().await {
                part.iter().try_for_each(|row| each(row.read()?))?;
            }
            Ok(())
        };
        let read = self.database.read_in_parts(sql, vec![arena.into()], sender);
        let (read, taken) = tokio::join!(read, take);
        read.and(taken)
    }

    /// Returns the results of a version against those it met most often: the other version, wins,
    /// ties, losses.
    pub(crate) async fn most_met(&self, version: i64, most: u32) -> Stored<Vec<(i64, [u64; 3])>> {
        let sql = "SELECT other, wins, ties, losses FROM pairs WHERE version = $1
            ORDER BY wins + ties + losses DESC, other LIMIT $2";
        self.all(sql, (version, most)).await
    }

    /// Returns the results of a version against each of at most [`AMONG`] others, in their order:
    /// wins, ties, losses.
    pub(crate) async fn pairs_among(
        &self,
        version: i64,
        others: &[i64],
    ) -> Stored<Vec<Option<[u64; 3]>>> {
        let sql = "SELECT other, wins, ties, losses FROM pairs WHERE version = $1 AND other IN ($2,
            $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21,
            $22, $23, $24, $25, $26, $27, $28, $29, $30, $31)";
        // A version never meets itself: what is left over finds nothing.
        let mut values = vec![Value::from(version); AMONG + 1];
        values.iter_mut().skip(1).zip(others).for_each(|(value, &other)| *value = other.into());
        let pairs = self.all(sql, values).await?;
        let found: BTreeMap<i64, [u64; 3]> = pairs.into_iter().collect();
        Ok(others.iter().map(|other| found.get(other).copied()).collect())
    }

    /// Hands over the results of all versions in an arena, once for each pair: the version, another
    /// one, wins, ties, losses. There may be millions.
    pub(crate) async fn met(
        &self,
        arena: i64,
        mut each: impl FnMut(i64, i64, [u64; 3]),
    ) -> Stored<()> {
        let sql = "SELECT pairs.version, pairs.other, pairs.wins, pairs.ties, pairs.losses
            FROM bots JOIN versions ON versions.bot = bots.id
            JOIN pairs ON pairs.version = versions.id
            WHERE bots.arena = $1 AND pairs.version < pairs.other";
        self.each(sql, arena, |(version, other, results)| {
            each(version, other, results);
            Ok(())
        })
        .await
    }

    /// Returns the published table of an arena: when it was made, JSON. It may be large.
    pub(crate) async fn published(&self, arena: i64) -> Stored<Option<(i64, String)>> {
        let sql = "SELECT made, body FROM published WHERE arena = $1";
        self.first(sql, (arena,)).await
    }

    /// Returns of how many matches the published table of an arena is made, and when it was made.
    pub(crate) async fn published_when(&self, arena: i64) -> Stored<Option<(u64, i64)>> {
        let sql = "SELECT matches, made FROM published WHERE arena = $1";
        self.first(sql, (arena,)).await
    }
}

/// Returns the statement that notes that a published table is out of date though it is made of as
/// many matches as there are: one was taken out, or put back.
pub(crate) fn outdate(arena: i64) -> Statement {
    let sql = "UPDATE published SET matches = $2 WHERE arena = $1";
    statement(sql, (arena, i64::MAX))
}

/// Returns the statement that publishes a table.
pub(crate) fn publish(arena: i64, matches: u64, at: i64, body: String) -> Statement {
    let sql = "INSERT INTO published (arena, matches, made, body) VALUES ($1, $2, $3, $4)
        ON CONFLICT (arena) DO UPDATE SET matches = $2, made = $3, body = $4";
    statement(sql, (arena, matches, at, body))
}

row!(Totals { matches, results });
row!(Count { players, places, count });

/// Ids of players, as [`bytes_of_ids`] writes them, or a list in JSON.
impl Column for Vec<i64> {
    fn read(value: &Value) -> Option<Vec<i64>> {
        match value {
            Value::Bytes(bytes) => {
                let (ids, rest) = bytes.as_chunks();
                rest.is_empty().then(|| ids.iter().map(|id| i64::from_be_bytes(*id)).collect())
            }
            Value::Text(text) => serde_json::from_str(text).ok(),
            _ => None,
        }
    }
}

/// Places, as [`bytes_of_places`] writes them.
impl Column for Vec<u32> {
    fn read(value: &Value) -> Option<Vec<u32>> {
        Some(Vec::<u8>::read(value)?.into_iter().map(u32::from).collect())
    }
}

/// Wins, ties and losses.
impl FromRow for [u64; 3] {
    fn from_row(values: &mut Iter<'_, Value>) -> Stored<[u64; 3]> {
        let (wins, ties, losses) = FromRow::from_row(values)?;
        Ok([wins, ties, losses])
    }
}

/// Returns ids as a column holds them: in order of the ids, which are not negative.
pub(super) fn bytes_of_ids(ids: &[i64]) -> Value {
    Value::Bytes(ids.iter().flat_map(|id| id.to_be_bytes()).collect())
}

/// Returns places as a column holds them.
pub(super) fn bytes_of_places(places: &[u32]) -> Value {
    let byte = |&place: &u32| u8::try_from(place).expect("a match has at most 16 players");
    Value::Bytes(places.iter().map(byte).collect())
}

fn add(results: &mut CountedResults, one: Count) -> Stored<()> {
    let Count { players, places, count } = one;
    let players: Vec<VersionId> = players.iter().map(|&id| VersionId(id.cast_unsigned())).collect();
    let added = results.add(&players, &places, count);
    added.map_err(|error| DatabaseError::Engine(format!("a count in it is wrong: {error}")))
}
