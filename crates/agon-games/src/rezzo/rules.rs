//! [`Rules`]: the settings of a match, which `--set` changes and `agon rules rezzo` lists.

use agon_core::{SetupError, error::Problems};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The settings of rezzo.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Rules {
    /// Cells in a row of the world.
    pub width: u32,
    /// Rows of the world.
    pub height: u32,
    /// Ticks after which the living tie; 0 for no limit, as on the classic command line.
    pub max_ticks: u64,
    /// Hits that make a cell blank.
    pub damage_limit: u8,
    /// What next to a flag makes it a conductor: a photon, or (an old document taken literally) an
    /// electron.
    pub flag_dissolves: FlagDissolves,
    /// Whose base a flag must not touch: an enemy's, or (an old document taken literally) any.
    pub base_of: BaseOf,
    /// The world's cells, a string a row in the characters of the viewport, instead of a random
    /// map; short rows are filled up with blanks, and `width` and `height` are those of the map. An
    /// agent drawn in it starts there as it is; for the other players start areas are made.
    pub map: Vec<String>,
    /// Random maps: wires start at multiples of this many cells.
    pub grid_step: u32,
    /// Random maps: wires are drawn until one cell in this many is drawn.
    pub density_divisor: u32,
    /// Random maps: one loop with a signal for this many cells, but at least one.
    pub loop_area: u32,
    /// Random maps: the shortest side of a loop, in cells.
    pub loop_min: u32,
    /// Random maps: the longest side of a loop, in cells.
    pub loop_max: u32,
}

/// What next to a flag makes it a conductor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FlagDissolves {
    /// A photon: flags travel along wires.
    #[default]
    Photon,
    /// An electron: no flag can ever travel.
    Electron,
}

/// Whose base a flag must not touch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BaseOf {
    /// An enemy's.
    #[default]
    Enemy,
    /// Anybody's, one's own included.
    Any,
}

impl Default for Rules {
    fn default() -> Rules {
        Rules {
            width: 320,
            height: 320,
            max_ticks: 10_000,
            damage_limit: 4,
            flag_dissolves: FlagDissolves::Photon,
            base_of: BaseOf::Enemy,
            map: Vec::new(),
            grid_step: 4,
            density_divisor: 8,
            loop_area: 1024,
            loop_min: 4,
            loop_max: 9,
        }
    }
}

/// The longest side of a world.
pub(super) const MAX_SIDE: u32 = 4096;
/// The most cells of a world.
pub(super) const MAX_CELLS: u64 = 1 << 22;
/// The tick at which a match without a limit ends. No match reaches it, but tick numbers stay in
/// range.
const MAX_TICKS: u64 = 1_000_000_000_000_000;

impl Rules {
    /// Width and height of the world: the map's, if there is one.
    pub fn size(&self) -> (usize, usize) {
        if self.map.is_empty() {
            (self.width as usize, self.height as usize)
        } else {
            (self.map.iter().map(|row| row.chars().count()).max().unwrap_or(0), self.map.len())
        }
    }

    /// The tick at which the game ends at the latest.
    pub(super) fn last_tick(&self) -> u64 {
        if self.max_ticks == 0 { MAX_TICKS } else { self.max_ticks }
    }

    /// Checks that all settings are within their ranges.
    ///
    /// # Errors
    /// Names every setting that is not.
    pub fn check(&self) -> Result<(), SetupError> {
        let mut problems = Problems::new();
        if self.map.is_empty() {
            problems.range("width", self.width, 1..=MAX_SIDE);
            problems.range("height", self.height, 1..=MAX_SIDE);
        } else {
            let side = 1..=MAX_SIDE as usize;
            problems.range("map (longest row)", self.size().0, side.clone());
            problems.range("map (rows)", self.size().1, side);
        }
        let (width, height) = self.size();
        let cells = (width as u64).saturating_mul(height as u64);
        problems.require(cells <= MAX_CELLS, "width x height", || {
            format!("{cells} cells are more than {MAX_CELLS}")
        });
        problems.range("damage_limit", self.damage_limit, 1..=250);
        problems.range("grid_step", self.grid_step, 1..=256);
        problems.range("density_divisor", self.density_divisor, 1..=1_000_000);
        problems.range("loop_area", self.loop_area, 16..=1 << 22);
        problems.range("loop_min", self.loop_min, 3..=256);
        problems.range("loop_max", self.loop_max, self.loop_min.clamp(3, 256)..=256);
        problems.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_settings_out_of_range_are_named() {
        let rules =
            Rules { width: 0, damage_limit: 0, loop_min: 9, loop_max: 4, ..Rules::default() };
        let text = rules.check().unwrap_err().to_string();
        for part in
            ["width: 0 is not", "damage_limit: 0 is not", "loop_max: 4 is not between 9 and"]
        {
            assert!(text.contains(part), "{text}");
        }
        let huge = Rules { width: 4096, height: 4096, ..Rules::default() };
        assert!(
            huge.check().unwrap_err().to_string().contains("16777216 cells are more than 4194304")
        );
        assert_eq!(Rules::default().check(), Ok(()));
    }

    #[test]
    fn a_map_decides_the_size() {
        let rules = Rules { map: vec!["..".into(), ".....".into()], ..Rules::default() };
        assert_eq!(rules.size(), (5, 2));
    }

    #[test]
    fn unknown_settings_are_refused() {
        let text = r#"{"widht": 20}"#;
        assert!(serde_json::from_str::<Rules>(text).unwrap_err().to_string().contains("widht"));
        let rules: Rules = serde_json::from_str(r#"{"width": 20, "base_of": "any"}"#).unwrap();
        assert_eq!((rules.width, rules.base_of, rules.height), (20, BaseOf::Any, 320));
    }
}
