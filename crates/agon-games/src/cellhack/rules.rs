//! [`Rules`]: the settings of a match, which `--set` changes and `agon rules cellhack` lists.

use agon_core::error::Problems;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The settings of a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Rules {
    /// Columns of the board, which wraps around: 3 to 4096, and at most 4194304 places in all.
    pub width: u32,
    /// Rows of the board, which wraps around: 3 to 4096.
    pub height: u32,
    /// Turns after which the game ends: 1 to 1000000.
    pub turns: u32,
    /// Energy of the cell a player starts with: from energy_min to energy_max.
    pub energy_start: u16,
    /// The most energy a cell can have: from 1. Bots are told at most 255.
    pub energy_max: u16,
    /// A cell with less energy than this dies: up to energy_max.
    pub energy_min: u16,
    /// A cell needs more energy than this to split.
    pub energy_min_split: u16,
    /// Energy that one EAT takes and one FEED gives.
    pub eat_amount: u16,
    /// Energy that REST gives a cell without neighbours.
    pub rest_base: u16,
    /// Energy by which every occupied place among the eight neighbours makes REST less.
    pub rest_per_neighbour: u16,
    /// The least that REST gives, however crowded the neighbourhood.
    pub rest_min: u16,
}

impl Default for Rules {
    fn default() -> Rules {
        Rules {
            width: 64,
            height: 64,
            turns: 500,
            energy_start: 100,
            energy_max: 256,
            energy_min: 20,
            energy_min_split: 40,
            eat_amount: 1,
            rest_base: 7,
            rest_per_neighbour: 2,
            rest_min: 1,
        }
    }
}

/// The most places of a board. A place takes 13 bytes, and 15 more during play, so the largest
/// board takes some 120 MB.
pub(super) const MAX_PLACES: u64 = 1 << 22;

impl Rules {
    /// Notes everything that is out of range in a match of `players` players.
    pub(super) fn check(&self, players: usize, problems: &mut Problems) {
        problems.range("players", players, 1..=254);
        self.check_size(problems);
        problems.range("turns", self.turns, 1..=1_000_000);
        problems.range("energy_max", self.energy_max, 1..=u16::MAX);
        problems.range("energy_min", self.energy_min, 0..=self.energy_max);
        problems.require(
            (self.energy_min..=self.energy_max).contains(&self.energy_start),
            "energy_start",
            || {
                let Rules { energy_start, energy_min, energy_max, .. } = self;
                format!(
                    "{energy_start} is not between energy_min ({energy_min}) and energy_max \
                     ({energy_max})"
                )
            },
        );
    }

    /// With at least three columns and rows, the nine places around a cell are different.
    fn check_size(&self, problems: &mut Problems) {
        problems.range("width", self.width, 3..=4096);
        problems.range("height", self.height, 3..=4096);
        let places = u64::from(self.width) * u64::from(self.height);
        problems.require(places <= MAX_PLACES, "width, height", || {
            format!("{} × {} are {places} places, more than {MAX_PLACES}", self.width, self.height)
        });
    }

    /// Energy that REST gives a cell with this many occupied places around it.
    pub(super) fn rest(&self, neighbours: usize) -> i32 {
        let less = i32::from(self.rest_per_neighbour) * neighbours as i32;
        (i32::from(self.rest_base) - less).max(self.rest_min.into())
    }
}

/// The side of the square of start places: the smallest one with room for all players.
pub(super) fn start_side(players: usize) -> u32 {
    (1..).find(|side| (side * side) as usize >= players).expect("some square is large enough")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(rules: &Rules, players: usize) -> String {
        let mut problems = Problems::new();
        rules.check(players, &mut problems);
        problems.finish().map_or_else(|e| e.to_string(), |()| String::new())
    }

    #[test]
    fn all_problems_are_told() {
        let rules = Rules { width: 2, turns: 0, energy_start: 300, ..Rules::default() };
        assert_eq!(
            problems(&rules, 255),
            "players: 255 is not between 1 and 254; width: 2 is not between 3 and 4096; \
             turns: 0 is not between 1 and 1000000; \
             energy_start: 300 is not between energy_min (20) and energy_max (256)"
        );
        let large = Rules { width: 4096, height: 4096, ..Rules::default() };
        assert_eq!(
            problems(&large, 2),
            "width, height: 4096 × 4096 are 16777216 places, more than 4194304"
        );
    }

    #[test]
    fn resting_is_worth_less_in_a_crowd() {
        let gains: Vec<i32> = (0..=8).map(|n| Rules::default().rest(n)).collect();
        assert_eq!(gains, [7, 5, 3, 1, 1, 1, 1, 1, 1]);
        let extreme = Rules { rest_per_neighbour: u16::MAX, ..Rules::default() };
        assert_eq!(extreme.rest(8), 1);
    }

    #[test]
    fn the_start_square_has_room_for_all() {
        let sides = [1, 2, 4, 5, 9, 10, 254].map(start_side);
        assert_eq!(sides, [1, 2, 2, 3, 3, 4, 16]);
    }
}
