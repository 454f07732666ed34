//! The health of a version: when one that keeps failing is paused.

use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write;

use agon_core::FaultKind;

/// How a match ended for one version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It played to the end without a fault.
    Clean,
    /// It played to the end, with faults, most of them of this kind.
    Faulty(FaultKind),
    /// A fault of this kind ended it.
    Stopped(FaultKind),
}

impl Ending {
    fn kind(self) -> Option<FaultKind> {
        match self {
            Ending::Clean => None,
            Ending::Faulty(kind) | Ending::Stopped(kind) => Some(kind),
        }
    }
}

/// How the latest matches of a version ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Health {
    /// Failures since the last match that it played to the end.
    in_a_row: u64,
    /// The latest matches since the last pause, the last one at the end.
    latest: VecDeque<Ending>,
}

impl Health {
    /// The number of failures in a row that pauses a version.
    pub const LIMIT: u64 = 5;

    /// The matches of which half must be without a fault.
    pub const LATEST: usize = 20;

    /// Notes how a match ended, and returns the reason in words if the version must pause now.
    ///
    /// It must pause after [`LIMIT`](Health::LIMIT) failures in a row, and when it had faults in at
    /// least half of its [`LATEST`](Health::LATEST) matches. Then everything begins again.
    pub fn note(&mut self, ending: Ending) -> Option<String> {
        self.in_a_row = match ending {
            Ending::Stopped(_) => self.in_a_row.saturating_add(1),
            Ending::Clean | Ending::Faulty(_) => 0,
        };
        if self.latest.len() == Health::LATEST {
            self.latest.pop_front();
        }
        self.latest.push_back(ending);
        let is_stopped = self.in_a_row >= Health::LIMIT;
        let faulty = self.latest.iter().filter(|ending| **ending != Ending::Clean).count();
        if !is_stopped && (self.latest.len() < Health::LATEST || faulty * 2 < Health::LATEST) {
            return None;
        }
        let Health { in_a_row, latest } = std::mem::take(self);
        let mut faults: BTreeMap<FaultKind, usize> = BTreeMap::new();
        for kind in latest.iter().filter_map(|ending| ending.kind()) {
            *faults.entry(kind).or_default() += 1;
        }
        let matches = latest.len();
        let mut why = match is_stopped {
            true => format!("faults ended it in {in_a_row} matches in a row"),
            false => format!("it had faults in {faulty} of its last {matches} matches"),
        };
        for (at, (kind, count)) in faults.iter().enumerate() {
            let before = if at == 0 { ": it " } else { ", " };
            // Writing to a string cannot fail.
            let _ = write!(why, "{before}{} ({count} of {matches})", kind.words());
        }
        Some(why)
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
            assert_eq!(health.note(crash), None);
        }
        assert_eq!(health.note(Ending::Clean), None);
        for ending in [crash, crash, Ending::Stopped(FaultKind::Start), crash] {
            assert_eq!(health.note(ending), None);
        }
        let reason = health.note(crash).unwrap();
        assert_eq!(
            reason,
            "faults ended it in 5 matches in a row: it could not be started (1 of 10), crashed (8 \
             of 10)"
        );
        assert_eq!(health, Health::default());
    }

    #[test]
    fn faults_in_half_of_the_latest_matches_pause() {
        let mut health = Health::default();
        let illegal = Ending::Faulty(FaultKind::Illegal);
        // Nine of twenty, for as long as it likes.
        for number in 0..100 {
            let ending = if number % 20 < 9 { illegal } else { Ending::Clean };
            assert_eq!(health.note(ending), None, "{number}");
        }
        let mut ending = || health.note(illegal);
        let reason = (0..10).find_map(|_| ending()).unwrap();
        assert_eq!(
            reason,
            "it had faults in 10 of its last 20 matches: it broke the rules (10 of 20)"
        );
        assert_eq!(health, Health::default());
    }
}
