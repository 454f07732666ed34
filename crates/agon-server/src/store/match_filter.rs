//! Lists of matches: of an arena, a bot or two bots; all of them, or with faults only.
//!
//! Pages of these lists begin before a number, and not after so many matches: no query goes through
//! more than it returns, except the one for two bots, which has a limit.

use std::cmp::Reverse;

use futures_util::{StreamExt, TryStreamExt, stream};

use super::{Store, Stored, matches::SeatedMatch};

/// The latest matches of a version among which those against another one are looked for.
const AMONG: u32 = 10_000;

/// How many matches of a list are read at a time.
const AT_A_TIME: usize = 8;

/// Which matches of an arena a list has.
#[derive(Clone, Debug, Default)]
pub(crate) struct MatchFilter {
    /// Only those of one of these versions.
    pub(crate) versions: Option<Vec<i64>>,
    /// Of these, only those against this one.
    pub(crate) against: Option<Against>,
    /// Only those in which the version committed a fault; without versions, anybody.
    pub(crate) with_faults: bool,
}

/// Who also played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Against {
    Version(i64),
    /// Any version of this bot.
    Bot(i64),
}

/// Makes the query for matches of a version and another one; `$faults` restricts those of the first
/// one, `$other` says who the other one is.
macro_rules! between {
    ($faults:literal, $other:literal) => {
        concat!(
            "SELECT recent.number FROM (
                SELECT arena, number FROM seats WHERE version = $1 AND number < $3 ",
            $faults,
            " ORDER BY number DESC LIMIT $4
            ) AS recent
            JOIN seats ON seats.arena = recent.arena AND seats.number = recent.number
            JOIN matches ON matches.arena = recent.arena AND matches.number = recent.number
            WHERE ",
            $other,
            " AND state <> 'planned'
            ORDER BY recent.number DESC LIMIT $5"
        )
    };
}

/// Returns the query for the matches that fit: of an arena, or of a version.
fn sql_of(of_version: bool, against: Option<Against>, with_faults: bool) -> &'static str {
    // A match that is planned has no faults yet.
    match (of_version, against, with_faults) {
        (false, _, false) => {
            "SELECT number FROM matches WHERE arena = $1 AND number < $2 AND state <> 'planned'
                ORDER BY number DESC LIMIT $3"
        }
        (false, _, true) => {
            "SELECT DISTINCT number + 0 FROM seats
                WHERE arena = $1 AND number + 0 < $2 AND faults > 0
                ORDER BY number + 0 DESC LIMIT $3"
        }
        (true, None, false) => {
            "SELECT seats.number FROM seats
                JOIN matches ON matches.arena = seats.arena AND matches.number = seats.number
                WHERE seats.version = $1 AND seats.number < $2 AND state <> 'planned'
                ORDER BY seats.number DESC LIMIT $3"
        }
        (true, None, true) => {
            "SELECT number FROM seats WHERE version = $1 AND number < $2 AND faults > 0
                ORDER BY number DESC LIMIT $3"
        }
        (true, Some(Against::Version(_)), false) => between!("", "seats.version = $2"),
        (true, Some(Against::Version(_)), true) => {
            between!("AND faults > 0", "seats.version = $2")
        }
        (true, Some(Against::Bot(_)), false) => {
            between!("", "seats.version IN (SELECT id FROM versions WHERE bot = $2)")
        }
        (true, Some(Against::Bot(_)), true) => {
            between!("AND faults > 0", "seats.version IN (SELECT id FROM versions WHERE bot = $2)")
        }
    }
}

impl Store {
    /// Returns an arena's matches that are over and fit, the last one first, before a number. If
    /// all fit, they are without what bots wrote.
    pub(crate) async fn matches(
        &self,
        arena: i64,
        filter: &MatchFilter,
        before: u64,
        most: u32,
    ) -> Stored<Vec<SeatedMatch>> {
        let MatchFilter { ref versions, against, with_faults } = *filter;
        let sql = sql_of(versions.is_some(), against, with_faults);
        let mut numbers: Vec<u64> = match versions {
            None => self.all(sql, (arena, before, most)).await?,
            Some(_) => Vec::new(),
        };
        for &version in versions.iter().flatten() {
            numbers.extend(match against {
                None => self.all::<u64>(sql, (version, before, most)).await?,
                Some(Against::Version(other) | Against::Bot(other)) => {
                    self.all(sql, (version, other, before, AMONG, most)).await?
                }
            });
        }
        numbers.sort_unstable_by_key(|&number| Reverse(number));
        numbers.dedup();
        numbers.truncate(most as usize);
        if versions.is_none() && !with_faults {
            // These are nearly all from the first to the last: two queries read them.
            let (Some(last), Some(first)) = (numbers.first(), numbers.last()) else {
                return Ok(Vec::new());
            };
            let after = first.saturating_sub(1);
            let mut matches = self.matches_after(arena, after, *last, u32::MAX).await?;
            // Without those that were over since then.
            matches.retain(|seated| numbers.contains(&seated.of.number));
            matches.reverse();
            return Ok(matches);
        }
        let read = numbers.into_iter().map(|number| self.seated_match(arena, number));
        let read: Vec<_> = read.collect();
        let matches: Vec<_> = stream::iter(read).buffered(AT_A_TIME).try_collect().await?;
        Ok(matches.into_iter().flatten().collect())
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::*;

    #[test]
    fn no_list_goes_through_all_matches() {
        let database = Connection::open_in_memory().unwrap();
        let tables = include_str!("../database/migrations/sqlite/0001.sql");
        database.execute_batch(tables).unwrap();
        let plan = |of_version: bool, against: Option<Against>, with_faults: bool| {
            let sql = sql_of(of_version, against, with_faults);
            let mut query = database.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
            let lines = query.raw_bind_parameter(1, 1).map(|()| query.raw_query());
            let lines = lines.unwrap().mapped(|row| row.get::<_, String>("detail"));
            lines.map(Result::unwrap).collect::<Vec<_>>().join("\n")
        };
        for (of_version, against) in [
            (false, None),
            (true, None),
            (true, Some(Against::Version(2))),
            (true, Some(Against::Bot(2))),
        ] {
            for with_faults in [false, true] {
                let plan = plan(of_version, against, with_faults);
                let is_indexed = !plan.contains("SCAN m") && !plan.contains("SCAN seats");
                assert!(is_indexed && !plan.contains("TEMP B-TREE"), "{plan}");
                let has_index = match of_version {
                    false => plan.contains("INDEX faulty_seats "),
                    true => plan.contains("INDEX faulty_seats_of_version "),
                };
                assert_eq!(has_index, with_faults, "{plan}");
            }
        }
    }
}
