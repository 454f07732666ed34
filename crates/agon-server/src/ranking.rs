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
    /// From 1. Bots with the same rating share a rank.
    pub(crate) rank: u64,
    /// The ranks that it may really have, the best first, if there are several.
    pub(crate) ranks: Option<(u64, u64)>,
    pub(crate) rating: LiveRating,
    pub(crate) matches: u64,
    /// Wins, ties, losses.
    pub(crate) results: [u64; 3],
}

/// Ratings that differ by less than this are the same, in Elo points: two bots with the same
/// results may differ by what a computer rounds.
const SAME: f64 = 0.01;

/// Returns the ranks of ratings, each with its group, the best ones first. Equal ratings share the
/// best of their ranks, as in 1, 2, 2, 4.
fn shared_ranks(ratings: impl Iterator<Item = (usize, f64)>) -> Vec<u64> {
    let mut ranks = Vec::new();
    let mut best: Option<(u64, usize, f64)> = None;
    for ((group, elo), place) in ratings.zip(1..) {
        match best {
            Some((rank, of, first)) if of == group && first - elo < SAME => ranks.push(rank),
            _ => {
                best = Some((place, group, elo));
                ranks.push(place);
            }
        }
    }
    ranks
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
    let ranks = shared_ranks(rows.iter().map(|row| (0, row.rating.elo)));
    rows.iter_mut().zip(ranks).for_each(|(row, rank)| row.rank = rank);
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
    let ranks = shared_ranks(found.iter().map(|(rating, ..)| (rating.group, rating.elo)));
    found.iter().zip(ranks).map(row).collect()
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

    fn brief(id: i64, bot: i64) -> Brief {
        Brief {
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
        }
    }

    fn rating(rank_low: usize, rank_high: usize) -> PublishedRating {
        let (group, rank, footing) = (0, rank_low, Footing::Firm);
        PublishedRating { group, rank, rank_low, rank_high, elo: 0.0, low: 0.0, high: 0.0, footing }
    }

    #[test]
    fn ranges_count_those_that_are_certainly_better_or_not_worse() {
        let mut rng = Seed::plain(1).stream(Purpose::Sample, 0);
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
        let versions = [brief(1, 30), brief(2, 20), brief(3, 10), brief(4, 5)];
        let elo = |elo| LiveRating { elo, low: None, high: None };
        let rows = live(
            versions.iter(),
            &BTreeMap::from([(1, elo(1_500.0)), (2, elo(1_500.0)), (3, elo(1_600.0))]),
        );
        let order: Vec<_> = rows.iter().map(|row| (row.rank, row.bot, row.version)).collect();
        assert_eq!(order, [(1, 10, 3), (2, 20, 2), (2, 30, 1)]);
        assert_eq!((rows[0].matches, rows[0].results), (3, [1, 0, 2]));
    }

    #[test]
    fn equal_ratings_share_a_rank_at_the_top_too() {
        let ranks = |ratings: &[(usize, f64)]| shared_ranks(ratings.iter().copied());
        let rounded = 1_600.0 - 1e-9;
        assert_eq!(ranks(&[(0, 1_600.0), (0, rounded), (0, 1_500.0)]), [1, 1, 3]);
        assert_eq!(ranks(&[(0, 9.0), (0, 5.0), (0, 5.0), (0, 5.0), (0, 4.0)]), [1, 2, 2, 2, 5]);
        // Small steps do not add up.
        let steps: Vec<_> = (0..5).map(|step| (0, 100.0 - 0.006 * f64::from(step))).collect();
        assert_eq!(ranks(&steps), [1, 1, 3, 3, 5]);
        // Ratings of different groups cannot be compared.
        assert_eq!(ranks(&[(0, 1_500.0), (1, 1_500.0)]), [1, 2]);
        assert!(ranks(&[]).is_empty());
    }

    #[test]
    fn bots_with_the_same_results_share_the_first_rank_of_a_final() {
        use agon_ladder::{Counted, PublishOptions, VersionId, published};
        // Two bots that always answer the same win against a third one, and tie each other.
        let ids = [3_u64, 1, 2].map(VersionId);
        let result = |a: usize, b: usize, places: [u32; 2]| Counted {
            players: vec![ids[a], ids[b]],
            places: places.to_vec(),
            times: 10,
        };
        let counts = [result(0, 1, [1, 1]), result(0, 2, [1, 2]), result(1, 2, [1, 2])];
        let table = published(counts, &ids, &PublishOptions::default()).unwrap();
        let briefs: Vec<Brief> = (1..=3).map(|id| brief(id, 10 * id)).collect();
        let find = |id: i64| briefs.iter().find(|brief| brief.id == id);
        let rows = listed(&table, find);
        assert_eq!(rows.iter().map(|row| row.rank).collect::<Vec<_>>(), [1, 1, 3]);
        assert_eq!(rows[2].version, 2);
        let ratings = rows.iter().map(|row| (row.version, row.rating)).collect();
        let rows = live(briefs.iter(), &ratings);
        assert_eq!(rows.iter().map(|row| row.rank).collect::<Vec<_>>(), [1, 1, 3]);
    }
}
