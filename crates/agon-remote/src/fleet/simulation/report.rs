//! What a simulation found.

use std::collections::BTreeMap;

use crate::fleet::JobKey;

/// Times of which a few are told, in microseconds.
#[derive(Clone, Debug, Default)]
pub struct Spread(Vec<u64>);

impl Spread {
    /// Adds a time.
    pub fn add(&mut self, us: u64) {
        self.0.push(us);
    }

    /// Returns the time that so many of a thousand do not exceed; 0 if there is none.
    pub fn permille(&mut self, share: u64) -> u64 {
        self.0.sort_unstable();
        let last = self.0.len().saturating_sub(1) as u64;
        self.0.get((last * share / 1000) as usize).copied().unwrap_or(0)
    }
}

/// What came of a simulation.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// How often each match was counted: in a right run, once.
    pub counted: BTreeMap<JobKey, u32>,
    /// Matches that were given up.
    pub quarantined: Vec<JobKey>,
    /// When the last match was over, in microseconds; the end, if some are open.
    pub took: u64,
    /// When 95 % of the matches were over, in microseconds. The last ones may wait for something
    /// that was lost.
    pub mostly: u64,
    /// How busy the slots were until then, in millionths.
    pub mostly_busy: u64,
    /// How long matches had been played until then, in microseconds.
    pub(super) mostly_us: u64,
    /// Matches that workers have played, counting those that were played again.
    pub played: u64,
    /// From the submission of a match to its result.
    pub turnaround: Spread,
    /// How busy the slots were, in millionths.
    pub busy: u64,
    /// How busy the coordinator was until then, in millionths.
    pub coordinator: u64,
    /// Messages from and to the coordinator.
    pub messages: u64,
}
