//! Matches of an arena in pieces, from the first to the last: for exports and lists.

use super::{
    Store, Stored,
    matches::{SeatedMatch, match_of, seat_of, seated},
};

/// Makes a query for matches.
macro_rules! query {
    ($rest:literal) => {
        concat!(
            "SELECT matches.arena, matches.number, state, seed, planned, played, ms, turns, replay,
                outcome, logged, replay_removed, replay_erased FROM matches ",
            $rest
        )
    };
}

impl Store {
    /// Returns matches of an arena that are over, with numbers above `after` up to `last`, in
    /// order; without what bots wrote.
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
        let values = [arena.into(), after.into(), last.into(), most.into()];
        let matches = self.rows(sql, values).await?;
        let Some(end) = matches.last().map(|row| row.count(1)) else { return Ok(Vec::new()) };
        let sql = "SELECT number, seat, version, place, faults, cpu_us, decisions, rating, NULL,
                NULL
            FROM seats WHERE arena = $1 AND number > $2 AND number <= $3 ORDER BY number, seat";
        let seats = self.rows(sql, [arena.into(), after.into(), end.into()]).await?;
        let matches = matches.iter().map(match_of).collect::<Stored<Vec<_>>>()?;
        Ok(seated(matches, seats.iter().map(seat_of)))
    }

    /// Returns the numbers of a version's matches that are over, the last one first, before a
    /// number.
    pub(crate) async fn numbers_of(
        &self,
        version: i64,
        before: u64,
        most: u32,
    ) -> Stored<Vec<u64>> {
        let sql = "SELECT seats.number FROM seats
            JOIN matches ON matches.arena = seats.arena AND matches.number = seats.number
            WHERE seats.version = $1 AND seats.number < $2 AND state <> 'planned'
            ORDER BY seats.number DESC LIMIT $3";
        let rows = self.rows(sql, [version.into(), before.into(), most.into()]).await?;
        Ok(rows.iter().map(|row| row.count(0)).collect())
    }

    /// Returns the numbers of matches of two versions against each other among the first one's
    /// latest matches, the last one first.
    pub(crate) async fn numbers_between(
        &self,
        version: i64,
        other: i64,
        among: u32,
        most: u32,
    ) -> Stored<Vec<u64>> {
        let sql = "SELECT recent.number FROM (
                SELECT arena, number FROM seats WHERE version = $1 ORDER BY number DESC LIMIT $3
            ) AS recent
            JOIN seats ON seats.arena = recent.arena AND seats.number = recent.number
            JOIN matches ON matches.arena = recent.arena AND matches.number = recent.number
            WHERE seats.version = $2 AND state <> 'planned'
            ORDER BY recent.number DESC LIMIT $4";
        let values = [version.into(), other.into(), among.into(), most.into()];
        Ok(self.rows(sql, values).await?.iter().map(|row| row.count(0)).collect())
    }
}
