//! Lanes: which matches go first. None waits for ever.

use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A lane of a queue. If all have work, each gets its [share](Lane::share).
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
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

/// A name that is none of a lane.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is no lane; there are urgent, normal and background")]
pub struct NoLane(String);

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

    /// Returns how many of ten turns the lane gets if all lanes have work.
    pub fn share(self) -> u32 {
        match self {
            Lane::Urgent => 6,
            Lane::Normal => 3,
            Lane::Background => 1,
        }
    }

    /// Returns the order in which a worker asks the lanes at its `turn`, from 0.
    pub fn order(turn: u64) -> [Lane; 3] {
        // Of ten turns: spread, so that no lane waits for long.
        const FIRST: [Lane; 10] = [
            Lane::Urgent,
            Lane::Normal,
            Lane::Urgent,
            Lane::Urgent,
            Lane::Normal,
            Lane::Urgent,
            Lane::Background,
            Lane::Urgent,
            Lane::Normal,
            Lane::Urgent,
        ];
        let first = FIRST[(turn % 10) as usize];
        let mut all = Lane::ALL;
        all.sort_by_key(|lane| (*lane != first, *lane));
        all
    }
}

impl FromStr for Lane {
    type Err = NoLane;

    fn from_str(text: &str) -> Result<Lane, NoLane> {
        let found = Lane::ALL.into_iter().find(|lane| lane.name() == text);
        found.ok_or_else(|| NoLane(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_lane_gets_its_share_of_ten_turns() {
        for lane in Lane::ALL {
            let turns = (0..10).filter(|turn| Lane::order(*turn)[0] == lane).count();
            assert_eq!(turns, lane.share() as usize);
            assert_eq!(lane.name().parse(), Ok(lane));
        }
        assert_eq!(Lane::order(6), [Lane::Background, Lane::Urgent, Lane::Normal]);
        assert!("slow".parse::<Lane>().unwrap_err().to_string().contains("`slow` is no lane"));
    }
}
