//! Tables of an arena, and results of pairs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::{BotRef, MatchSummary, Rating, Tally, Time};

/// Which table is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TableKind {
    /// The table that follows the matches.
    #[default]
    Live,
    /// The table that is published from time to time, with ranges of ranks.
    Published,
}

/// Which number of a rating decides ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RankedBy {
    /// The lower end of its 95 % interval.
    LowerEnd,
    /// The rating itself.
    Rating,
}

impl RankedBy {
    /// Returns how many matches a version has to play before it has a rank, if nobody chooses.
    pub fn least(self) -> u32 {
        match self {
            RankedBy::LowerEnd => 10,
            // Nothing else keeps luck out.
            RankedBy::Rating => 50,
        }
    }
}

/// What decides the ranks of an arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Ranks {
    /// Which number of a rating.
    pub by: RankedBy,
    /// How many matches a version has to play before it has a rank, and again each time it plays
    /// after a pause or after another version.
    pub least: u32,
}

impl Default for Ranks {
    fn default() -> Ranks {
        Ranks { by: RankedBy::LowerEnd, least: RankedBy::LowerEnd.least() }
    }
}

impl Ranks {
    /// Returns what decided ranks before anybody could choose.
    pub fn unsaid() -> Ranks {
        Ranks { by: RankedBy::Rating, least: 0 }
    }
}

/// A page of a table: bots that play. Those with a rank come first, the best one before all; then
/// those that have played; then those that have not.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Leaderboard {
    /// Which table it is.
    pub table: TableKind,
    /// What decides ranks.
    #[serde(default = "Ranks::unsaid")]
    pub ranks: Ranks,
    /// When it was computed; null if nothing was published yet.
    pub as_of: Option<Time>,
    /// How many bots are in the whole table.
    pub total: u64,
    /// The rows of this page.
    pub items: Vec<LeaderboardRow>,
    /// The `cursor` of the next page; null on the last one.
    pub next: Option<String>,
}

/// A row of a table.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LeaderboardRow {
    /// The rank, from 1; null as long as matches are owed, and before the first match. Equal bots
    /// share a rank, as in 1, 2, 2, 4.
    pub rank: Option<u64>,
    /// How many matches it has to play before it has a rank.
    #[serde(default)]
    pub owed: u64,
    /// The ranks that the results allow, if that is more than one; only in published tables.
    pub ranks: Option<RankRange>,
    /// The bot, with its active version.
    pub bot: BotRef,
    /// Its rating; null before its first match.
    pub rating: Option<Rating>,
    /// How many matches it has played.
    pub matches: u64,
    /// Its results.
    pub tally: Tally,
    /// In how many matches it committed a fault.
    pub faults: u64,
    /// Its language.
    pub language: String,
    /// Whether it belongs to the caller.
    pub own: bool,
}

/// A range of ranks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RankRange {
    /// The best one.
    pub best: u64,
    /// The worst one.
    pub worst: u64,
}

/// What organisers get when they publish a table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PublishedTable {
    /// When the table was computed; null if no match counts yet.
    pub as_of: Option<Time>,
    /// How many matches it is made of.
    pub matches: u64,
}

/// The results of two bots against each other.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HeadToHead {
    /// The first bot, with the version meant.
    pub a: BotRef,
    /// The second bot, with the version meant.
    pub b: BotRef,
    /// The results, seen from the first one.
    pub tally: Tally,
    /// Their latest matches, the last one first; 20 at most.
    pub matches: Vec<MatchSummary>,
}

/// A bot that gets much less against another one than all other results say.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LopsidedPair {
    /// The bot that loses.
    pub loser: BotRef,
    /// The bot that wins.
    pub winner: BotRef,
    /// The results of their versions that play, seen from the loser.
    pub tally: Tally,
    /// The points that the loser should have by all other results: a win is one, a tie half of one.
    pub expected: f64,
    /// About the probability that any pair of an honest field is as far off.
    pub chance: f64,
}

/// The results of the best bots against each other.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Matrix {
    /// The bots, the best one first; 30 at most.
    pub bots: Vec<BotRef>,
    /// For each bot a row with its results against each bot; null if they have not met.
    pub rows: Vec<Vec<Option<Tally>>>,
    /// How many bots are left out.
    pub left_out: u64,
}
