//! The part `state` of a report: the progress of the tournament, and how long its matches took.

use crate::{Plan, Record, Schedule, plan::FormatPlan};
use schemars::JsonSchema;
use serde::Serialize;

/// The progress and the costs of a tournament.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct State {
    /// Whether all is played.
    pub finished: bool,
    /// Completed matches, forfeits included.
    pub over: u64,
    /// Matches that were not played, because a bot forfeited them.
    pub forfeited: u64,
    /// Matches that can be played now.
    pub open: u64,
    /// Whether more matches may follow from future results.
    pub more: bool,
    /// The number of void attempts at matches. The machine stood still, so they were played again.
    /// They count against no bot.
    pub void: u64,
    /// The number of matches with void attempts.
    pub void_matches: u64,
    /// The time of all matches together, in milliseconds. Several may have run at once.
    pub ms: u64,
    /// The mean time of a match that was played, in milliseconds.
    pub mean_ms: f64,
    /// The longest match, in milliseconds.
    pub longest_ms: u64,
    /// The number of kept replays.
    pub replays: u64,
}

impl State {
    pub(crate) fn new(plan: &Plan, schedule: &Schedule, records: &[&Record]) -> State {
        let over = records.len() as u64;
        let forfeited = records.iter().filter(|record| !record.forfeits.is_empty()).count() as u64;
        let ms: u64 = records.iter().map(|record| record.ms).sum();
        let at_once =
            matches!(plan.format, FormatPlan::RoundRobin { .. } | FormatPlan::Gauntlet { .. });
        State {
            finished: schedule.is_finished(),
            over,
            forfeited,
            open: schedule.missing().len() as u64,
            more: !schedule.is_finished() && !at_once,
            void: records.iter().map(|record| u64::from(record.void)).sum(),
            void_matches: records.iter().filter(|record| record.void > 0).count() as u64,
            ms,
            mean_ms: crate::report::number::rounded(
                ms as f64 / (over - forfeited).max(1) as f64,
                1,
            ),
            longest_ms: records.iter().map(|record| record.ms).max().unwrap_or(0),
            replays: records.iter().filter(|record| record.replay.is_some()).count() as u64,
        }
    }
}
