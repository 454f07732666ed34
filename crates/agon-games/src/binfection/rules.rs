//! [`Rules`]: the settings of a match, which `--set` or `settings.ini` changes and `agon rules
//! binfection` lists.

use agon_core::{SetupError, error::Problems};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The most units a cell can hold when `warriors_limit` is switched off.
///
/// Small enough that the sum over the largest field fits 63 bits, and that JSON readers of every
/// language keep it exactly.
pub const MAX_UNITS: u64 = 1_000_000_000_000;

/// The turn at which a match without `turns_limit` ends. No match reaches it, but turn numbers stay
/// in range.
pub const MAX_TURNS: u64 = 1_000_000_000_000_000;

/// The longest side of a field, in cells.
pub const MAX_SIDE: u32 = 2_000;

/// The settings of a match; `settings.ini` names them in upper case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Rules {
    /// Turns after which the game ends, up to 1000000; -1 for no limit
    pub turns_limit: i64,
    /// Width of the field in cells, 1 to 2000
    pub field_width: u32,
    /// Height of the field in cells, 1 to 2000
    pub field_height: u32,
    /// Cells that lie at least between a spawn and the border, 0 to 1000
    pub spawn_border_gap: u32,
    /// Spawns are more than this many cells apart, diagonals counting as one, 0 to 2000
    pub spawns_distance: u32,
    /// Cells with which each bot starts, 1 to 1000000
    pub spawns_number: u32,
    /// Units on each of these cells, 1 to 10^12
    pub warriors_init_number: u64,
    /// Most units on a cell after the moves and after growth, up to 10^12; -1 for no limit but
    /// 10^12
    pub warriors_limit: i64,
    /// What units are multiplied by at the end of a turn, 1 to 1000000
    pub grow_coefficient: u64,
}

impl Default for Rules {
    fn default() -> Rules {
        Rules {
            turns_limit: 100,
            field_width: 1000,
            field_height: 1000,
            spawn_border_gap: 1,
            spawns_distance: 1,
            spawns_number: 1,
            warriors_init_number: 10,
            warriors_limit: 100,
            grow_coefficient: 2,
        }
    }
}

impl Rules {
    /// Checks the range of every setting.
    ///
    /// # Errors
    /// Names every setting that is out of range. Whether the spawns fit depends on the number of
    /// players and is checked when a match is set up.
    pub fn check(&self) -> Result<(), SetupError> {
        let mut problems = Problems::new();
        let limit = |problems: &mut Problems, what: &str, value: i64, most: i64| {
            problems.require(value == -1 || (1..=most).contains(&value), what, || {
                format!("{value} is neither -1 (no limit) nor between 1 and {most}")
            });
        };
        limit(&mut problems, "turns_limit", self.turns_limit, 1_000_000);
        limit(&mut problems, "warriors_limit", self.warriors_limit, MAX_UNITS as i64);
        problems.range("field_width", self.field_width, 1..=MAX_SIDE);
        problems.range("field_height", self.field_height, 1..=MAX_SIDE);
        problems.range("spawn_border_gap", self.spawn_border_gap, 0..=1_000);
        problems.range("spawns_distance", self.spawns_distance, 0..=MAX_SIDE);
        problems.range("spawns_number", self.spawns_number, 1..=1_000_000);
        problems.range("warriors_init_number", self.warriors_init_number, 1..=MAX_UNITS);
        problems.range("grow_coefficient", self.grow_coefficient, 1..=1_000_000);
        problems.finish()
    }

    /// The turn at which the game ends at the latest.
    pub(super) fn last_turn(&self) -> u64 {
        u64::try_from(self.turns_limit).unwrap_or(MAX_TURNS)
    }

    /// The most units a cell holds.
    pub(super) fn cap(&self) -> u64 {
        u64::try_from(self.warriors_limit).unwrap_or(MAX_UNITS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_settings_out_of_range_are_named() {
        let rules = Rules {
            turns_limit: 0,
            field_width: 0,
            field_height: MAX_SIDE + 1,
            warriors_limit: -2,
            grow_coefficient: 0,
            ..Rules::default()
        };
        let error = rules.check().unwrap_err();
        let names: Vec<_> = error.problems.iter().map(|p| p.what.as_str()).collect();
        let expect =
            ["turns_limit", "warriors_limit", "field_width", "field_height", "grow_coefficient"];
        assert_eq!(names, expect);
        assert!(
            error
                .to_string()
                .contains("-2 is neither -1 (no limit) nor between 1 and 1000000000000")
        );
    }

    #[test]
    fn the_sum_of_all_units_fits_a_score() {
        let cells = i128::from(MAX_SIDE) * i128::from(MAX_SIDE);
        assert!(cells * i128::from(MAX_UNITS) < i128::from(i64::MAX));
    }
}
