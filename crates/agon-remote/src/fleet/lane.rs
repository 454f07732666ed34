//! Lanes: which matches go first. None waits for ever.

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

/// A lane of a queue.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    ValueEnum,
)]
#[serde(rename_all = "snake_case")]
pub enum Lane {
    /// Somebody waits for it.
    Urgent,
    /// As most.
    #[default]
    Normal,
    /// It has time.
    Background,
}

impl Lane {
    /// All lanes, the most urgent first.
    pub const ALL: [Lane; 3] = [Lane::Urgent, Lane::Normal, Lane::Background];

    /// Returns the lane's name, also in subjects.
    pub fn name(self) -> &'static str {
        match self {
            Lane::Urgent => "urgent",
            Lane::Normal => "normal",
            Lane::Background => "background",
        }
    }

    /// Returns the order in which a worker asks the lanes at its `turn`, from 0. If all have work,
    /// they get 6, 3 and 1 of ten turns.
    pub fn order(turn: u64) -> [Lane; 3] {
        use Lane::{Background as B, Normal as N, Urgent as U};
        // Spread, so that no lane waits for long.
        const FIRST: [Lane; 10] = [U, N, U, U, N, U, B, U, N, U];
        let first = FIRST[(turn % 10) as usize];
        let mut all = Lane::ALL;
        all.sort_by_key(|lane| (*lane != first, *lane));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_lane_gets_its_share_of_ten_turns() {
        for (lane, share) in Lane::ALL.into_iter().zip([6, 3, 1]) {
            assert_eq!((0..10).filter(|turn| Lane::order(*turn)[0] == lane).count(), share);
            assert_eq!(Lane::from_str(lane.name(), false), Ok(lane));
        }
        assert_eq!(Lane::order(6), [Lane::Background, Lane::Urgent, Lane::Normal]);
    }
}
