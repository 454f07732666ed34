//! Ratings in Elo points, and the order of bots in the tables that pages show.
//!
//! The order is made once for each board, so that a page needs only the rows that it shows.

use std::{cmp::Ordering, collections::BTreeMap, fmt, str::FromStr};

use agon_ladder::{Published, PublishedRating, api::Rating};
use agon_rating::{ELO_PER_NAT, Footing, Skill};

use crate::store::arenas::{RankedBy, Ranks};
use crate::store::versions::Brief;

/// A bot's row in a table.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Ranked {
    pub(crate) bot: i64,
    /// The version that plays.
    pub(crate) version: i64,
    /// From 1. Bots whose ratings are the same share a rank. `None` as long as the version owes
    /// matches, or has not played.
    pub(crate) rank: Option<u64>,
    /// The ranks that it may really have, the best first, if there are several.
    pub(crate) ranks: Option<(u64, u64)>,
    /// `None` before its first match.
    pub(crate) rating: Option<Rating>,
    /// Matches that it has to play before it has a rank.
    pub(crate) owed: u64,
    pub(crate) matches: u64,
    /// Wins, ties, losses.
    pub(crate) results: [u64; 3],
    pub(crate) place: Place,
}

/// Where a row stands in its table: the best one is the least.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Place {
    /// 0 with a rank, 1 without one, 2 without a match.
    pub(crate) class: u8,
    /// Ratings of different groups cannot be compared.
    group: usize,
    /// What decides its rank, in Elo points: more is better.
    pub(crate) value: f64,
    bot: i64,
}

impl Place {
    pub(crate) fn cmp(&self, other: &Place) -> Ordering {
        let before = |place: &Place| (place.class, place.group);
        let by_value = other.value.total_cmp(&self.value);
        before(self).cmp(&before(other)).then(by_value).then(self.bot.cmp(&other.bot))
    }
}

/// As it is in cursors.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Place { class, group, value, bot } = self;
        write!(f, "{class}.{group}.{}.{bot}", value.to_bits())
    }
}

impl FromStr for Place {
    type Err = ();

    fn from_str(text: &str) -> Result<Place, ()> {
        let parts: Vec<&str> = text.split('.').collect();
        let &[class, group, value, bot] = parts.as_slice() else { return Err(()) };
        Ok(Place {
            class: class.parse().map_err(drop)?,
            group: group.parse().map_err(drop)?,
            value: f64::from_bits(value.parse().map_err(drop)?),
            bot: bot.parse().map_err(drop)?,
        })
    }
}

/// Ratings that differ by less than this are the same, in Elo points: two bots with the same
/// results may differ by what a computer rounds.
const SAME: f64 = 0.01;

/// A rating whose lower end no result holds is behind all others: by more than ratings differ.
const BEHIND: f64 = 1e6;

/// Returns how many matches a version has to play before it has a rank, after `matches`.
fn owed(ranks: Ranks, version: &Brief, matches: u64) -> u64 {
    let least = u64::from(ranks.least);
    version.owed.min(least).max(least.saturating_sub(matches))
}

/// Returns what decides the rank of a rating, in Elo points.
fn value(ranks: Ranks, rating: &Rating) -> f64 {
    match ranks.by {
        RankedBy::Rating => rating.elo,
        RankedBy::LowerEnd => rating.low.unwrap_or(rating.elo - BEHIND),
    }
}

/// Returns the row of a version, without its rank.
fn row_of(
    ranks: Ranks,
    version: &Brief,
    rating: Option<Rating>,
    group: usize,
    matches: u64,
    results: [u64; 3],
) -> Ranked {
    let owed = owed(ranks, version, matches);
    let class = match rating {
        None => 2,
        Some(_) => u8::from(owed > 0),
    };
    let value = rating.map_or(0.0, |rating| value(ranks, &rating));
    Ranked {
        bot: version.bot,
        version: version.id,
        rank: None,
        ranks: None,
        rating,
        owed,
        matches,
        results,
        place: Place { class, group, value, bot: version.bot },
    }
}

/// Returns the ranks of values, each with its group, the best ones first. Equal values share the
/// best of their ranks, as in 1, 2, 2, 4.
fn shared_ranks(values: impl Iterator<Item = (usize, f64)>) -> Vec<u64> {
    let mut ranks = Vec::new();
    let mut best: Option<(u64, usize, f64)> = None;
    for ((group, value), place) in values.zip(1..) {
        match best {
            Some((rank, of, first)) if of == group && first - value < SAME => ranks.push(rank),
            _ => {
                best = Some((place, group, value));
                ranks.push(place);
            }
        }
    }
    ranks
}

/// Gives ranks to rows in their order: those that have one come first.
fn give_ranks(rows: &mut [Ranked]) {
    let ranked = rows.partition_point(|row| row.place.class == 0);
    let rows = &mut rows[..ranked];
    let ranks = shared_ranks(rows.iter().map(|row| (row.place.group, row.place.value)));
    rows.iter_mut().zip(ranks).for_each(|(row, rank)| row.rank = Some(rank));
}

/// Returns the rows of the live table, the best one first.
pub(crate) fn live<'a>(
    versions: impl Iterator<Item = &'a Brief>,
    live: &BTreeMap<i64, Rating>,
    ranks: Ranks,
) -> Vec<Ranked> {
    let row = |version: &Brief| {
        let results = [version.wins, version.ties, version.losses];
        row_of(ranks, version, live.get(&version.id).copied(), 0, version.matches, results)
    };
    let mut rows: Vec<Ranked> = versions.map(row).collect();
    rows.sort_by(|one, other| one.place.cmp(&other.place));
    give_ranks(&mut rows);
    rows
}

/// Returns the rows of a published table whose versions play, as `version` finds them.
///
/// Ratings of versions that do not play any more are in the fit, but not in the table.
pub(crate) fn listed<'a>(
    table: &Published,
    version: impl Fn(i64) -> Option<&'a Brief>,
    ranks: Ranks,
) -> Vec<Ranked> {
    let mut found: Vec<(Ranked, PublishedRating)> = Vec::new();
    for row in &table.rows {
        let Some(rating) = row.rating else { continue };
        let Some(version) = version(row.version.0.cast_signed()) else { continue };
        let tally = &row.tally;
        let results = [tally.wins, tally.ties, tally.losses];
        let live = of_published(&rating);
        found.push((
            row_of(ranks, version, Some(live), rating.group, tally.matches, results),
            rating,
        ));
    }
    found.sort_by(|(one, _), (other, _)| one.place.cmp(&other.place));
    let is_ranked = |row: &Ranked| row.place.class == 0;
    let ranked = found.iter().filter(|(row, _)| is_ranked(row));
    let ranges = Ranges::new(ranked.map(|(_, rating)| rating));
    let row = |(row, rating): (Ranked, PublishedRating)| Ranked {
        ranks: ranges.of(&rating).filter(|_| is_ranked(&row)),
        ..row
    };
    let mut rows: Vec<Ranked> = found.into_iter().map(row).collect();
    give_ranks(&mut rows);
    rows
}

/// The ranges of ranks of those that have one, in order.
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

    /// Returns the ranks that one may have among those that have one: behind all that are
    /// certainly better, and before all that are certainly worse.
    fn of(&self, rating: &PublishedRating) -> Option<(u64, u64)> {
        let better = self.high.partition_point(|&high| high < rating.rank_low);
        let not_worse = self.low.partition_point(|&low| low <= rating.rank_high);
        let (low, high) = (better as u64 + 1, not_worse as u64);
        (low < high).then_some((low, high))
    }
}

/// The rating of an average bot.
const MEAN: f64 = 1_500.0;

/// Returns the rating that the ladder's belief stands for.
pub(crate) fn of_skill(mu: f64, sigma: f64) -> Rating {
    let elo = MEAN + (mu - Skill::default().mu) / Skill::NAT * ELO_PER_NAT;
    let wide = 1.96 * sigma / Skill::NAT * ELO_PER_NAT;
    Rating { elo, low: Some(elo - wide), high: Some(elo + wide) }
}

/// Returns a rating from a table of all results; ends that no result holds are left out.
pub(crate) fn of_published(found: &PublishedRating) -> Rating {
    let is_held_above = !matches!(found.footing, Footing::OpenAbove | Footing::Open);
    let is_held_below = !matches!(found.footing, Footing::OpenBelow | Footing::Open);
    Rating {
        elo: MEAN + found.elo,
        low: is_held_below.then_some(MEAN + found.low),
        high: is_held_above.then_some(MEAN + found.high),
    }
}

#[cfg(test)]
mod tests {
    use agon_core::{Purpose, Seed};
    use agon_ladder::{CountedResults, PublishOptions, VersionId};

    use super::*;
    use crate::store::versions::PlayState;

    fn brief(id: i64, bot: i64) -> Brief {
        let play = PlayState { matches: 3, wins: 1, losses: 2, ..PlayState::default() };
        Brief { id, bot, number: 1, play, ..Brief::default() }
    }

    /// Ranks by the rating alone.
    const PLAIN: Ranks = Ranks { by: RankedBy::Rating, least: 0 };

    fn rating(rank_low: usize, rank_high: usize) -> PublishedRating {
        let (group, rank, footing) = (0, rank_low, Footing::Firm);
        PublishedRating { group, rank, rank_low, rank_high, elo: 0.0, low: 0.0, high: 0.0, footing }
    }

    /// Returns the published table of results: players, places, and how often.
    fn table(results: &[([u64; 2], [u32; 2], u64)]) -> Published {
        let mut counted = CountedResults::default();
        for (players, places, times) in results {
            counted.add(&players.map(VersionId), places, *times).unwrap();
        }
        counted.published(&PublishOptions::default()).unwrap()
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
        let elo = |elo| Rating { elo, low: None, high: None };
        let rows = live(
            versions.iter(),
            &BTreeMap::from([(1, elo(1_500.0)), (2, elo(1_500.0)), (3, elo(1_600.0))]),
            PLAIN,
        );
        let order: Vec<_> = rows.iter().map(|row| (row.rank, row.bot, row.version)).collect();
        // Who has no rating comes last.
        let (one, two) = (Some(1), Some(2));
        assert_eq!(order, [(one, 10, 3), (two, 20, 2), (two, 30, 1), (None, 5, 4)]);
        assert_eq!((rows[0].matches, rows[0].results), (3, [1, 0, 2]));
        assert_eq!(rows[3].rating, None);
        for row in &rows {
            assert_eq!(row.place.to_string().parse(), Ok(row.place));
        }
        assert!("0.1.2".parse::<Place>().is_err() && "0.0.x.1".parse::<Place>().is_err());
    }

    #[test]
    fn ranks_follow_what_the_organisers_chose() {
        // A lucky version with few matches, one that has proven its strength, and one that nobody
        // has seen winning.
        let played = |id, matches| {
            let mut brief = brief(id, id);
            brief.play.matches = matches;
            brief
        };
        let versions = [played(1, 12), played(2, 167), played(3, 90)];
        let live_rating = |elo, low| Rating { elo, low, high: None };
        let ratings = BTreeMap::from([
            (1, live_rating(1_629.0, Some(1_300.0))),
            (2, live_rating(1_480.0, Some(1_420.0))),
            (3, live_rating(1_500.0, None)),
        ]);
        let order = |ranks: Ranks| -> Vec<(i64, Option<u64>, u64)> {
            let rows = live(versions.iter(), &ratings, ranks);
            rows.iter().map(|row| (row.bot, row.rank, row.owed)).collect()
        };
        let first = [(2, Some(1), 0), (1, Some(2), 0), (3, Some(3), 0)];
        assert_eq!(order(Ranks::default()), first);
        assert_eq!(order(PLAIN), [(1, Some(1), 0), (3, Some(2), 0), (2, Some(3), 0)]);
        let fifty = Ranks { by: RankedBy::Rating, least: 50 };
        assert_eq!(order(fifty), [(3, Some(1), 0), (2, Some(2), 0), (1, None, 38)]);
    }

    #[test]
    fn a_version_that_owes_matches_has_no_rank_in_any_table() {
        let win = |one, other, times| ([one, other], [1, 2], times);
        let table = table(&[win(1, 2, 30), win(2, 3, 30), win(3, 1, 5)]);
        let mut briefs: Vec<Brief> = (1..=3).map(|id| brief(id, 10 * id)).collect();
        briefs.iter_mut().for_each(|brief| brief.play.matches = 60);
        let ranks = |briefs: &[Brief]| -> Vec<(i64, Option<u64>, u64)> {
            let find = |id: i64| briefs.iter().find(|brief| brief.id == id);
            let rows = listed(&table, find, Ranks::default());
            let ratings = rows.iter().filter_map(|row| Some((row.version, row.rating?))).collect();
            let shown = |rows: &[Ranked]| -> Vec<(i64, Option<u64>, u64)> {
                rows.iter().map(|row| (row.version, row.rank, row.owed)).collect()
            };
            let live = live(briefs.iter(), &ratings, Ranks::default());
            assert_eq!(shown(&live), shown(&rows));
            assert!(rows.iter().all(|row| row.rank.is_some() || row.ranks.is_none()));
            shown(&rows)
        };
        assert_eq!(ranks(&briefs), [(1, Some(1), 0), (2, Some(2), 0), (3, Some(3), 0)]);
        briefs[0].play.owed = 7;
        assert_eq!(ranks(&briefs), [(2, Some(1), 0), (3, Some(2), 0), (1, None, 7)]);
        // The organisers ask for fewer matches by now.
        briefs[0].play.owed = 50;
        assert_eq!(ranks(&briefs)[2], (1, None, 10));
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
        // Two bots that always answer the same win against a third one, and tie each other.
        let all = [([3, 1], [1, 1], 10), ([3, 2], [1, 2], 10), ([1, 2], [1, 2], 10)];
        let table = table(&all);
        let briefs: Vec<Brief> = (1..=3).map(|id| brief(id, 10 * id)).collect();
        let find = |id: i64| briefs.iter().find(|brief| brief.id == id);
        for by in [RankedBy::Rating, RankedBy::LowerEnd] {
            let rows = listed(&table, find, Ranks { by, least: 0 });
            let ranks = |rows: &[Ranked]| rows.iter().map(|row| row.rank).collect::<Vec<_>>();
            assert_eq!(ranks(&rows), [Some(1), Some(1), Some(3)]);
            assert_eq!(rows[2].version, 2);
            let ratings = rows.iter().filter_map(|row| Some((row.version, row.rating?))).collect();
            let rows = live(briefs.iter(), &ratings, Ranks { by, least: 0 });
            assert_eq!(ranks(&rows), [Some(1), Some(1), Some(3)]);
        }
    }

    #[test]
    fn the_mean_skill_is_the_mean_rating() {
        let unknown = of_skill(25.0, 25.0 / 3.0);
        assert!((unknown.elo - 1_500.0).abs() < 1e-9);
        assert!(unknown.high.unwrap() > 1_900.0);
        assert!(of_skill(30.0, 1.0).elo > 1_600.0);
    }
}
