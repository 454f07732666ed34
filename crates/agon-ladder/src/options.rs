//! Options of a ladder.

use serde::{Deserialize, Serialize};

/// Options of a ladder. `LadderOptions::default()` is right for matches of two.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LadderOptions {
    /// Players per match, 2 to 64; other numbers count as the nearest of these.
    pub players: usize,
    /// Matches until a version is no newcomer any more.
    pub newcomer_matches: u64,
    /// The weight of newcomers: their time counts this many times less. At least 1.
    pub newcomer_weight: u64,
    /// The largest share of time for matches with newcomers, in percent, below 100.
    ///
    /// If a greater part of all versions are newcomers, that part is the largest share.
    pub newcomer_percent: u64,
    /// The number of candidates that each choice of opponents looks at.
    pub candidates: usize,
    /// The share of matches with random opponents, in percent, at most 100.
    ///
    /// If results decide who plays whom, ratings are drawn apart. Random matches hold the scale.
    pub random_percent: u64,
    /// The number of last opponents that a version avoids.
    pub memory: usize,
    /// The expected cost of a version if no cost is known yet, in microseconds.
    pub first_us: u64,
}

impl Default for LadderOptions {
    fn default() -> LadderOptions {
        LadderOptions {
            players: 2,
            newcomer_matches: 20,
            newcomer_weight: 20,
            newcomer_percent: 50,
            candidates: 32,
            random_percent: 25,
            memory: 16,
            first_us: 1_000_000,
        }
    }
}

impl LadderOptions {
    /// Returns the same options with all numbers within their ranges.
    pub(crate) fn within_ranges(self) -> LadderOptions {
        LadderOptions {
            players: self.players.clamp(2, 64),
            newcomer_weight: self.newcomer_weight.max(1),
            newcomer_percent: self.newcomer_percent.min(99),
            candidates: self.candidates.clamp(4, 1_000),
            random_percent: self.random_percent.min(100),
            first_us: self.first_us.max(1),
            ..self
        }
    }
}
