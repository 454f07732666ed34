//! A match in the list of matches of a report.

use crate::{MatchId, Record};
use agon_core::Seed;
use schemars::JsonSchema;
use serde::Serialize;

/// A completed match.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MatchLine<'a> {
    /// The place in the tournament: `r2.g0.p7.m1` for round 2, group 0, pairing 7, match 1, all
    /// from 0.
    #[serde(rename = "match")]
    #[schemars(with = "String")]
    pub id: MatchId,
    /// Names of the bots, in order of seats.
    pub seats: &'a [String],
    /// Places in order of seats: 1 for the best, equal ones share a place.
    pub places: &'a [u32],
    /// The game's scores, in order of seats.
    pub scores: &'a [i64],
    /// The number of faults of each seat.
    pub faults: Vec<u64>,
    /// The seed.
    pub seed: Seed,
    /// The number of earlier void attempts.
    pub void: u32,
    /// The duration in milliseconds.
    pub ms: u64,
    /// The file name of its replay in the tournament's folder of replays, if it was kept.
    pub replay: Option<&'a str>,
    /// Seats, from 0, whose bots forfeited the match. If there are any, it was not played.
    pub forfeits: &'a [usize],
    /// The rest of the result, for tables.
    #[serde(skip)]
    pub(crate) record: &'a Record,
}

impl<'a> MatchLine<'a> {
    pub(crate) fn new(record: &'a Record) -> MatchLine<'a> {
        MatchLine {
            id: record.id,
            seats: &record.seats,
            places: &record.places,
            scores: &record.scores,
            faults: record
                .faults
                .iter()
                .map(|faults| faults.iter().map(|f| f.count).sum())
                .collect(),
            seed: record.seed,
            void: record.void,
            ms: record.ms,
            replay: record.replay.as_deref(),
            forfeits: &record.forfeits,
            record,
        }
    }

    /// Returns whether any bot committed a fault.
    pub fn has_faults(&self) -> bool {
        self.faults.iter().any(|&count| count > 0)
    }
}
