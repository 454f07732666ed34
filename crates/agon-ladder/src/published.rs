//! The table that people see: ratings of all versions from all matches at once.

use std::collections::HashMap;

use agon_core::Seed;
use agon_rating::{Anchor, Counts, Footing, Options, RatingError, Row, Tally};
use serde::{Deserialize, Serialize};

use crate::VersionId;

/// Options of a published table. Its intervals have a confidence of 95 %.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PublishOptions {
    /// A factor for the width of the intervals; `None`, the default, is [`widening`].
    pub widen: Option<f64>,
    /// The number of rankings drawn for ranges of ranks; 0, the default, for none.
    pub samples: usize,
}

/// A published table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Published {
    /// A row for each version: the largest group first, and within a group the best version.
    ///
    /// Versions without a match come last, by number.
    pub rows: Vec<PublishedRow>,
    /// The number of groups of versions that met, directly or through others.
    pub groups: usize,
    /// The confidence of the intervals.
    pub confidence: f64,
}

/// The facts about one version.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PublishedRow {
    /// The version.
    pub version: VersionId,
    /// Its rating; `None` without a match.
    pub rating: Option<PublishedRating>,
    /// Counts of its matches.
    #[serde(flatten)]
    pub tally: Tally,
}

impl PublishedRow {
    fn new(version: VersionId, row: &Row) -> PublishedRow {
        let Row { group, rank, rank_low, rank_high, elo, low, high, footing, .. } = *row;
        let rating = PublishedRating { group, rank, rank_low, rank_high, elo, low, high, footing };
        let rating = (row.tally.matches > 0).then_some(rating);
        PublishedRow { version, rating, tally: row.tally.clone() }
    }
}

/// A rating with its interval, in Elo points.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PublishedRating {
    /// The number of the group, from 0. Ratings of different groups cannot be compared.
    pub group: usize,
    /// The rank within the group, from 1.
    pub rank: usize,
    /// The best rank within the confidence; `rank` if no rankings were drawn.
    pub rank_low: usize,
    /// The worst rank within the confidence; `rank` if no rankings were drawn.
    pub rank_high: usize,
    /// The rating.
    pub elo: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
    /// How firmly the results hold the rating: an open side of the interval has no bound.
    pub footing: Footing,
}

/// Returns the factor by which intervals must be wider than those of random matches.
///
/// On a ladder, results decide who plays whom. This draws ratings apart, more so with many
/// versions. The factor was measured with the default options and up to 300 versions
/// (`docs/ratings.md`): 1.09 for 12 versions, 1.3 for 100, 1.41 for 300. Beyond, it is a guess.
pub fn widening(versions: usize) -> f64 {
    1.0 + 0.1 * libm::log(versions as f64 / 5.0).max(0.0)
}

/// Counts of matches in little memory: some 26 bytes for each count of two players.
///
/// The versions need not be known beforehand, so counts can come one by one from a database.
#[derive(Clone, Debug, Default)]
pub struct CountedResults {
    /// The versions in the order in which they came, and whether they have played.
    versions: Vec<(VersionId, bool)>,
    /// Where they are in that list.
    numbers: HashMap<VersionId, usize>,
    counts: Counts,
}

impl CountedResults {
    /// Returns the place of a version in the list; adds it if it is new.
    fn number(&mut self, id: VersionId) -> usize {
        *self.numbers.entry(id).or_insert_with(|| {
            self.versions.push((id, false));
            self.versions.len() - 1
        })
    }

    /// Adds a match that happened `times`. Players are in any order; the smallest place is best.
    /// If it is 0, the versions are only named.
    pub fn add(
        &mut self,
        players: &[VersionId],
        places: &[u32],
        times: u64,
    ) -> Result<(), RatingError> {
        let numbers: Vec<usize> = players.iter().map(|&id| self.number(id)).collect();
        self.counts.add(&numbers, places, times)?;
        numbers.iter().for_each(|&number| self.versions[number].1 |= times > 0);
        Ok(())
    }

    /// Rates all versions that were named. It does not depend on the order of the counts. Sorted
    /// ones take less time.
    pub fn published(self, options: &PublishOptions) -> Result<Published, RatingError> {
        let CountedResults { versions, numbers, counts } = self;
        drop(numbers);
        let mut sorted: Vec<VersionId> = versions.iter().map(|(id, _)| *id).collect();
        sorted.sort_unstable();
        let place = |(id, _): &(VersionId, bool)| sorted.binary_search(id).unwrap_or_default();
        let places: Vec<usize> = versions.iter().map(place).collect();
        let playing = versions.iter().filter(|(_, has_played)| *has_played).count();
        let table = counts.renumbered(|number| places[number])?.table(&Options {
            players: sorted.len(),
            confidence: 0.95,
            anchor: Anchor::Firm,
            widen: options.widen.unwrap_or_else(|| widening(playing)),
            samples: options.samples,
            seed: Seed::plain(0),
            ..Options::default()
        })?;
        Ok(Published {
            rows: table.rows.iter().map(|row| PublishedRow::new(sorted[row.player], row)).collect(),
            groups: table.groups.iter().filter(|group| group.matches > 0).count(),
            confidence: table.confidence,
        })
    }
}
