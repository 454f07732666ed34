//! Live ratings of versions as they were after their matches.

use super::{Store, Stored};

impl Store {
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
