//! The health of a version: when one that keeps failing is paused.

use std::{collections::BTreeMap, fmt};

use agon_core::FaultKind;
use serde::{Deserialize, Serialize};

/// How a match ended for one version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    /// It played to the end, with faults or without.
    Finished,
    /// A fault of this kind ended it.
    Stopped(FaultKind),
}

/// Failures of a version, and how many of them came one after another.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Health {
    /// Matches since the last pause.
    pub matches: u64,
    /// Failures since the last match that it finished.
    pub in_a_row: u64,
    /// Failures since the last pause, by kind.
    pub failures: BTreeMap<FaultKind, u64>,
}

/// The reason why a version is paused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PauseReason {
    /// Failures in a row.
    pub in_a_row: u64,
    /// Failures by kind, of the last `matches`.
    pub failures: BTreeMap<FaultKind, u64>,
    /// Matches that were looked at.
    pub matches: u64,
}

impl Health {
    /// The usual number of failures in a row that pauses a version.
    pub const LIMIT: u64 = 5;

    /// Notes how a match ended, and returns the reason if the version must pause now.
    ///
    /// It must pause after `limit` failures in a row. The counts then start again.
    pub fn note(&mut self, ending: Ending, limit: u64) -> Option<PauseReason> {
        self.matches = self.matches.saturating_add(1);
        match ending {
            Ending::Finished => self.in_a_row = 0,
            Ending::Stopped(kind) => {
                self.in_a_row = self.in_a_row.saturating_add(1);
                let count = self.failures.entry(kind).or_default();
                *count = count.saturating_add(1);
            }
        }
        if self.in_a_row == 0 || self.in_a_row < limit {
            return None;
        }
        let Health { matches, in_a_row, failures } = std::mem::take(self);
        Some(PauseReason { in_a_row, failures, matches })
    }
}

impl fmt::Display for PauseReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let matches = if self.in_a_row == 1 { "match" } else { "matches in a row" };
        write!(f, "faults ended it in {} {matches}", self.in_a_row)?;
        for (at, (kind, count)) in self.failures.iter().enumerate() {
            let before = if at == 0 { ": it " } else { ", " };
            write!(f, "{before}{} ({count} of {})", kind.words(), self.matches)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_failures_in_a_row_pause() {
        let mut health = Health::default();
        let crash = Ending::Stopped(FaultKind::Crash);
        for _ in 0..4 {
            assert_eq!(health.note(crash, Health::LIMIT), None);
        }
        assert_eq!(health.note(Ending::Finished, Health::LIMIT), None);
        for ending in [crash, crash, Ending::Stopped(FaultKind::Start), crash] {
            assert_eq!(health.note(ending, Health::LIMIT), None);
        }
        let reason = health.note(crash, Health::LIMIT).unwrap();
        assert_eq!(
            reason.to_string(),
            "faults ended it in 5 matches in a row: it could not be started (1 of 10), crashed (8 \
             of 10)"
        );
        assert_eq!(health, Health::default());
    }

    #[test]
    fn a_limit_of_one_pauses_at_once_and_a_finished_match_never() {
        let mut health = Health::default();
        assert_eq!(health.note(Ending::Finished, 0), None);
        let reason = health.note(Ending::Stopped(FaultKind::Timeout), 1).unwrap();
        assert_eq!(
            reason.to_string(),
            "faults ended it in 1 match: it did not answer in time (1 of 2)"
        );
    }
}
