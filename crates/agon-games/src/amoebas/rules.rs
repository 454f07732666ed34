//! [`Rules`]: the settings of a match, which `--set` changes and `agon rules amoebas` lists.

use agon_core::{SetupError, error::Problems};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The physics of the world. The defaults are the constants of the manual.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Rules {
    /// Side of the square torus, in cells (3 to 2000).
    pub world_size: u32,
    /// Fuel that every empty cell gains at the end of a round.
    pub sun_energy: u32,
    /// Most fuel a cell can hold; all cells hold it at the start.
    pub max_cell_energy: u32,
    /// How many cells an amoeba sees in each direction (1 to 10).
    pub view_distance: u32,
    /// Most energy an amoeba can hold; the first ones start with it.
    pub max_amoeba_energy: u32,
    /// Energy that resting costs, after the meal; whoever cannot pay starves.
    pub rest_energy: u32,
    /// Energy that a move costs and needs.
    pub move_energy: u32,
    /// Energy that a hit costs and needs (Clojure species know it as AttackEnergy).
    pub hit_energy: u32,
    /// Most fuel that one rest takes up.
    pub max_fueling_energy: u32,
    /// Energy that a division needs.
    pub min_divide_energy: u32,
    /// Energy lost in a division, before the rest is halved; at most min_divide_energy.
    pub divide_energy_loss: u32,
    /// Most health of an amoeba; the first ones start with it.
    pub max_amoeba_health: u32,
    /// Health that a hit takes from its target; at zero it dies.
    pub hit_loss: u32,
    /// Health regained by a rest.
    pub recovery_gain: u32,
    /// Rounds until the game ends.
    pub rounds: u32,
    /// Most bytes of data, child-data or function that an answer may carry; a longer one makes it
    /// unusable.
    pub data_limit: u32,
}

impl Default for Rules {
    fn default() -> Rules {
        Rules {
            world_size: 200,
            sun_energy: 1,
            max_cell_energy: 100,
            view_distance: 3,
            max_amoeba_energy: 100,
            rest_energy: 1,
            move_energy: 3,
            hit_energy: 10,
            max_fueling_energy: 10,
            min_divide_energy: 30,
            divide_energy_loss: 20,
            max_amoeba_health: 10,
            hit_loss: 4,
            recovery_gain: 1,
            rounds: 1000,
            data_limit: 1024,
        }
    }
}

/// Amounts fit the 16 bits that a cell keeps of each, with room for sums.
const MAX_AMOUNT: u32 = 10_000;

/// The longest side of a world.
const MAX_SIDE: u32 = 2000;

/// Cells of the largest world.
pub(super) const MAX_CELLS: usize = (MAX_SIDE as usize).pow(2);

/// Most bytes of data that a full world may hold, with as many of functions: a state is to fit into
/// a key frame.
const MAX_DATA: u64 = 1 << 26;

impl Rules {
    /// Number of cells of the world.
    pub fn cells(&self) -> usize {
        (self.world_size as usize).pow(2)
    }

    /// Checks all settings.
    ///
    /// # Errors
    /// With every setting that is out of range or contradicts another.
    pub fn check(&self) -> Result<(), SetupError> {
        let mut problems = Problems::new();
        problems.range("world_size", self.world_size, 3..=MAX_SIDE);
        problems.range("view_distance", self.view_distance, 1..=10);
        problems.range("max_amoeba_energy", self.max_amoeba_energy, 1..=MAX_AMOUNT);
        problems.range("max_amoeba_health", self.max_amoeba_health, 1..=MAX_AMOUNT);
        problems.range("rounds", self.rounds, 1..=1_000_000);
        for (name, amount) in self.amounts() {
            problems.range(name, amount, 0..=MAX_AMOUNT);
        }
        problems.require(
            self.divide_energy_loss <= self.min_divide_energy,
            "divide_energy_loss",
            || {
                format!(
                    "{} is more than min_divide_energy {}",
                    self.divide_energy_loss, self.min_divide_energy
                )
            },
        );
        let most = MAX_DATA / u64::from(self.world_size.max(1)).pow(2);
        problems.require(u64::from(self.data_limit) <= most, "data_limit", || {
            format!("{} bytes are too many; a world of this size allows {most}", self.data_limit)
        });
        problems.finish()
    }

    fn amounts(&self) -> [(&'static str, u32); 10] {
        [
            ("sun_energy", self.sun_energy),
            ("max_cell_energy", self.max_cell_energy),
            ("rest_energy", self.rest_energy),
            ("move_energy", self.move_energy),
            ("hit_energy", self.hit_energy),
            ("max_fueling_energy", self.max_fueling_energy),
            ("min_divide_energy", self.min_divide_energy),
            ("divide_energy_loss", self.divide_energy_loss),
            ("hit_loss", self.hit_loss),
            ("recovery_gain", self.recovery_gain),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_problems_are_told_at_once() {
        let rules =
            Rules { world_size: 2, sun_energy: 20_000, divide_energy_loss: 31, ..Rules::default() };
        let text = rules.check().unwrap_err().to_string();
        assert_eq!(
            text,
            "world_size: 2 is not between 3 and 2000; sun_energy: 20000 is not between 0 and \
             10000; divide_energy_loss: 31 is more than min_divide_energy 30"
        );
    }

    #[test]
    fn data_cannot_take_all_memory() {
        assert!(Rules { world_size: 2000, ..Rules::default() }.check().is_err());
        assert_eq!(Rules { world_size: 2000, data_limit: 16, ..Rules::default() }.check(), Ok(()));
        assert!(Rules { data_limit: u32::MAX, ..Rules::default() }.check().is_err());
    }
}
