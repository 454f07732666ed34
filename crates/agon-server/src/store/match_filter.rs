//! Lists of matches of a bot, of two bots, or with faults only: the numbers of their matches.
//!
//! Pages of these lists begin before a number, and not after so many matches: no query goes through
//! more than it returns, except the one for two bots, which has a limit.

use super::{Store, Stored, matches::SeatedMatch};

/// The latest matches of a version among which those against another one are looked for.
const AMONG: u32 = 10_000;

/// Which matches of an arena a list has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct MatchFilter {
    /// Only those of this version.
    pub(crate) version: Option<i64>,
    /// Of these, only those against this one.
    pub(crate) against: Option<Against>,
    /// Only those in which the version committed a fault; without one, anybody.
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

/// Returns the query for the matches that fit.
fn sql_of(filter: MatchFilter) -> &'static str {
    // A match that is planned has no faults yet.
    match (filter.version, filter.against, filter.with_faults) {
        (None, _, false) => {
            "SELECT number FROM matches WHERE arena = $1 AND number < $2 AND state <> 'planned'
                ORDER BY number DESC LIMIT $3"
        }
        (None, _, true) => {
            "SELECT DISTINCT number + 0 FROM seats
                WHERE arena = $1 AND number + 0 < $2 AND faults > 0
                ORDER BY number + 0 DESC LIMIT $3"
        }
        (Some(_), None, false) => {
            "SELECT seats.number FROM seats
                JOIN matches ON matches.arena = seats.arena AND matches.number = seats.number
                WHERE seats.version = $1 AND seats.number < $2 AND state <> 'planned'
                ORDER BY seats.number DESC LIMIT $3"
        }
        (Some(_), None, true) => {
            "SELECT number FROM seats WHERE version = $1 AND number < $2 AND faults > 0
                ORDER BY number DESC LIMIT $3"
        }
        (Some(_), Some(Against::Version(_)), false) => between!("", "seats.version = $2"),
        (Some(_), Some(Against::Version(_)), true) => {
            between!("AND faults > 0", "seats.version = $2")
        }
        (Some(_), Some(Against::Bot(_)), false) => {
            between!("", "seats.version IN (SELECT id FROM versions WHERE bot = $2)")
        }
        (Some(_), Some(Against::Bot(_)), true) => {
            between!("AND faults > 0", "seats.version IN (SELECT id FROM versions WHERE bot = $2)")
        }
    }
}

impl Store {
    /// Returns the numbers of an arena's matches that are over and fit, the last one first, before
    /// a number.
    pub(crate) async fn match_numbers(
        &self,
        arena: i64,
        filter: MatchFilter,
        before: u64,
        most: u32,
    ) -> Stored<Vec<u64>> {
        let sql = sql_of(filter);
        match (filter.version, filter.against) {
            (None, _) => self.all(sql, (arena, before, most)).await,
            (Some(version), None) => self.all(sql, (version, before, most)).await,
            (Some(version), Some(Against::Version(other) | Against::Bot(other))) => {
                self.all(sql, (version, other, before, AMONG, most)).await
            }
        }
    }

    /// Returns the same for several versions, whose filters are alike.
    pub(crate) async fn match_numbers_of(
        &self,
        arena: i64,
        versions: &[i64],
        filter: MatchFilter,
        before: u64,
        most: u32,
    ) -> Stored<Vec<u64>> {
        let mut numbers = Vec::new();
        for &version in versions {
            let own = MatchFilter { version: Some(version), ..filter };
            numbers.extend(self.match_numbers(arena, own, before, most).await?);
        }
        numbers.sort_unstable_by_key(|&number| std::cmp::Reverse(number));
        numbers.dedup();
        numbers.truncate(most as usize);
        Ok(numbers)
    }

    /// Returns matches of an arena by their numbers, in the same order.
    pub(crate) async fn seated_matches(
        &self,
        arena: i64,
        numbers: &[u64],
    ) -> Stored<Vec<SeatedMatch>> {
        let mut matches = Vec::new();
        for &number in numbers {
            matches.extend(self.seated_match(arena, number).await?);
        }
        Ok(matches)
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
        let plan = |version: Option<i64>, against: Option<Against>, with_faults: bool| {
            let sql = sql_of(MatchFilter { version, against, with_faults });
            let mut query = database.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
            let lines = query.raw_bind_parameter(1, 1).map(|()| query.raw_query());
            let lines = lines.unwrap().mapped(|row| row.get::<_, String>("detail"));
            lines.map(Result::unwrap).collect::<Vec<_>>().join("\n")
        };
        for (version, against) in [
            (None, None),
            (Some(1), None),
            (Some(1), Some(Against::Version(2))),
            (Some(1), Some(Against::Bot(2))),
        ] {
            for with_faults in [false, true] {
                let plan = plan(version, against, with_faults);
                let is_indexed = !plan.contains("SCAN m") && !plan.contains("SCAN seats");
                assert!(is_indexed && !plan.contains("TEMP B-TREE"), "{plan}");
                let has_index = match version {
                    None => plan.contains("INDEX faulty_seats "),
                    Some(_) => plan.contains("INDEX faulty_seats_of_version "),
                };
                assert_eq!(has_index, with_faults, "{plan}");
            }
        }
    }
}
