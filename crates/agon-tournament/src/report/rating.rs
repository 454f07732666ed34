//! Ratings with intervals: the part `ratings` of a report.

use agon_rating::{Footing, Table};
use schemars::JsonSchema;
use serde::Serialize;

use crate::report::{names::Names, number::rounded};

/// A bot's strength by the results of all matches at once.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Rating<'a> {
    /// The bot.
    pub bot: &'a str,
    /// The group of bots that met each other, directly or through others, from 0, the largest
    /// first. Ratings of different groups cannot be compared.
    pub group: usize,
    /// The rank within the group, from 1.
    pub rank: usize,
    /// The rating in Elo points. Near equality a difference means the expected score of Elo's
    /// formula, where ties count half. 0 is the mean of all bots of the group whose footing is
    /// `firm`, or of all bots if there are none.
    pub elo: f64,
    /// The lower end of its interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// The best rank that the bot may really have, within the interval's confidence.
    pub rank_low: usize,
    /// The worst rank.
    pub rank_high: usize,
    /// How firmly the results hold the rating: `firm`; `open-above` or `open-below` if it could be
    /// any amount higher or lower; `open` for both, or without a match.
    #[schemars(with = "String")]
    pub footing: Footing,
    /// Completed matches.
    pub matches: u64,
    /// The mean share of the opponents left behind; ties count half.
    pub score: f64,
    /// The probability of each rank within the group, the first rank first. Empty in groups of more
    /// than 200.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rank_probabilities: Vec<f64>,
    /// The bot's number in the plan.
    #[serde(skip)]
    pub(crate) number: usize,
}

/// Returns all ratings: the largest group first, and within a group the best bot.
pub(crate) fn ratings<'a>(table: &Table, names: &Names<'a>) -> Vec<Rating<'a>> {
    let rating = |row: &agon_rating::Row| Rating {
        bot: names.of(row.player),
        group: row.group,
        rank: row.rank,
        elo: rounded(row.elo, 1),
        low: rounded(row.low, 1),
        high: rounded(row.high, 1),
        rank_low: row.rank_low,
        rank_high: row.rank_high,
        footing: row.footing,
        matches: row.tally.matches,
        score: rounded(row.tally.score, 4),
        rank_probabilities: row.rank_probabilities.iter().map(|&part| rounded(part, 4)).collect(),
        number: row.player,
    };
    table.rows.iter().map(rating).collect()
}

impl Rating<'_> {
    /// Returns how far the interval reaches, averaged over both sides.
    pub fn half(&self) -> f64 {
        (self.high - self.low) / 2.0
    }

    /// Returns whether any result supports the rating.
    pub fn is_rated(&self) -> bool {
        self.matches > 0
    }
}
