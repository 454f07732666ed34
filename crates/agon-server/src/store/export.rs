//! Matches of an arena in pieces, from the first to the last: for exports.

use super::{
    Store, Stored,
    matches::{SeatedMatch, match_of, query, seat_of, seated},
};

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
}
