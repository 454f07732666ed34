//! The order of bots in the tables that pages show.
//!
//! It is made once for each board, so that a page needs only the rows that it shows.

use std::collections::BTreeMap;

use agon_ladder::{Published, PublishedRating, PublishedRow};

use crate::{
    rating::{self, LiveRating},
    store::versions::Brief,
};

/// A bot's row in a table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ranked {
    pub(crate) bot: i64,
    /// The version that plays.
    pub(crate) version: i64,
    /// From 1.
    pub(crate) rank: u64,
    /// The ranks that it may really have, the best first, if there are several.
    pub(crate) ranks: Option<(u64, u64)>,
    pub(crate) rating: LiveRating,
    pub(crate) matches: u64,
    /// Wins, ties, losses.
    pub(crate) results: [u64; 3],
}

/// Returns the rows of the live table, the best one first.
pub(crate) fn live<'a>(
    versions: impl Iterator<Item = &'a Brief>,
    live: &BTreeMap<i64, LiveRating>,
) -> Vec<Ranked> {
    let row = |version: &Brief| {
        Some(Ranked {
            bot: version.bot,
            version: version.id,
            rank: 0,
            ranks: None,
            rating: *live.get(&version.id)?,
            matches: version.matches,
            results: [version.wins, version.ties, version.losses],
        })
    };
    let mut rows: Vec<Ranked> = versions.filter_map(row).collect();
    rows.sort_by(|one, other| {
        other.rating.elo.total_cmp(&one.rating.elo).then(one.bot.cmp(&other.bot))
    });
    rows.iter_mut().zip(1..).for_each(|(row, rank)| row.rank = rank);
    rows
}

/// Returns the rows of a published table whose versions play, as `version` finds them.
///
/// Ratings of versions that do not play any more are in the fit, but not in the table.
pub(crate) fn listed<'a>(
    table: &Published,
    version: impl Fn(i64) -> Option<&'a Brief>,
) -> Vec<Ranked> {
    let found = |row: &PublishedRow| {
        Some((row.rating?, row.tally.clone(), version(row.version.0.cast_signed())?))
    };
    let found: Vec<_> = table.rows.iter().filter_map(found).collect();
    let ranges = Ranges::new(found.iter().map(|(rating, ..)| rating));
    let row = |((rating, tally, version), rank): (&(PublishedRating, _, &Brief), u64)| {
        let tally: &agon_rating::Tally = tally;
        Ranked {
            bot: version.bot,
            version: version.id,
            rank,
            ranks: ranges.of(rating),
            rating: rating::of_published(rating),
            matches: tally.matches,
            results: [tally.wins, tally.ties, tally.losses],
        }
    };
    found.iter().zip(1..).map(row).collect()
}

/// The ranges of ranks of those that are listed, in order.
struct Ranges {
    low: Vec<usize>,
    high: Vec<usize>,
}

impl Ranges {
    fn new<'a>(ratings: impl Iterator<Item = &'a PublishedRating>) -> Ranges {
        let (mut low, mut high): (Vec<usize>, Vec<usize>) =
            ratings.map(|rating| (rating.rank_low, rating.rank_high)).unzip();
        low.sort_unstable();
        high.sort_unstable();
        Ranges { low, high }
    }

    /// Returns the ranks that one may have among those that are listed: behind all that are
    /// certainly better, and before all that are certainly worse.
    fn of(&self, rating: &PublishedRating) -> Option<(u64, u64)> {
        let better = self.high.partition_point(|&high| high < rating.rank_low);
        let not_worse = self.low.partition_point(|&low| low <= rating.rank_high);
        let (low, high) = (better as u64 + 1, not_worse as u64);
        (low < high).then_some((low, high))
    }
}

#[cfg(test)]
mod tests {
    use agon_core::{Purpose, Seed};
    use agon_rating::Footing;

    use super::*;

    fn rating(rank_low: usize, rank_high: usize) -> PublishedRating {
        let (group, rank, footing) = (0, rank_low, Footing::Firm);
        PublishedRating { group, rank, rank_low, rank_high, elo: 0.0, low: 0.0, high: 0.0, footing }
    }

    #[test]
    fn ranges_count_those_that_are_certainly_better_or_not_worse() {
        let mut rng = Seed(1).stream(Purpose::Sample, 0);
        let all: Vec<PublishedRating> = (0..200)
            .map(|_| {
                let low = 1 + rng.index(300);
                rating(low, low + rng.index(20))
            })
            .collect();
        let ranges = Ranges::new(all.iter());
        for one in &all {
            let better = all.iter().filter(|other| other.rank_high < one.rank_low).count() as u64;
            let not_worse =
                all.iter().filter(|other| other.rank_low <= one.rank_high).count() as u64;
            let plain = (better + 1 < not_worse).then_some((better + 1, not_worse));
            assert_eq!(ranges.of(one), plain, "{one:?}");
        }
    }

    #[test]
    fn the_best_one_comes_first_and_equals_by_their_ids() {
        let brief = |id, bot| Brief {
            id,
            bot,
            number: 1,
            language: String::new(),
            mu: 0.0,
            sigma: 0.0,
            matches: 3,
            wins: 1,
            ties: 0,
            losses: 2,
            faults: 0,
        };
        let versions = [brief(1, 30), brief(2, 20), brief(3, 10), brief(4, 5)];
        let elo = |elo| LiveRating { elo, low: None, high: None };
        let rows = live(
            versions.iter(),
            &BTreeMap::from([(1, elo(1_500.0)), (2, elo(1_500.0)), (3, elo(1_600.0))]),
        );
        let order: Vec<_> = rows.iter().map(|row| (row.rank, row.bot, row.version)).collect();
        assert_eq!(order, [(1, 10, 3), (2, 20, 2), (3, 30, 1)]);
        assert_eq!((rows[0].matches, rows[0].results), (3, [1, 0, 2]));
    }
}
