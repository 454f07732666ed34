//! [`Rules`]: the settings of a match, which `--set` changes and `agon rules cluster` lists.

use agon_core::{SetupError, error::Problems};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Settings of cluster.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Rules {
    /// Cells along each edge of the hexagon, from 2 to 64. The board has 3·side·(side−1)+1 cells.
    pub side: u32,
    /// A run of one color has to be at least this long to win, from 2 to 127.
    pub run_length: u32,
    /// Pellets drawn at the start of a turn, from 1 to 8.
    pub hand_size: u32,
    /// Pellets of each color in a bag at the start, from 1 to 100000; by default (null) a quarter
    /// of the number of cells, rounded down to a multiple of 4.
    pub bag: Option<u32>,
    /// After this many rounds (a turn of each player), from 1 to 1000000000, the game is a tie.
    pub max_rounds: u64,
}

impl Default for Rules {
    fn default() -> Rules {
        Rules { side: 12, run_length: 4, hand_size: 2, bag: None, max_rounds: 20_000 }
    }
}

impl Rules {
    /// Number of cells of the board.
    pub fn cells(&self) -> u32 {
        3 * self.side * (self.side - 1) + 1
    }

    /// Pellets of each color in a bag at the start of the game.
    pub fn bag_size(&self) -> u32 {
        self.bag.unwrap_or_else(|| self.cells() / 4 / 4 * 4)
    }

    /// The turn (a move of one player) at which the game ends at the latest.
    pub fn max_turns(&self) -> u64 {
        self.max_rounds * 2
    }

    /// Checks all settings and the number of players.
    ///
    /// # Errors
    /// Names everything that does not fit.
    pub fn check(&self, players: usize) -> Result<(), SetupError> {
        let mut problems = Problems::new();
        problems
            .require(players == 2, "players", || format!("{players} given, but 2 play cluster"));
        problems.range("side", self.side, 2..=64);
        problems.range("run_length", self.run_length, 2..=127);
        problems.range("hand_size", self.hand_size, 1..=8);
        problems.range("max_rounds", self.max_rounds, 1..=1_000_000_000);
        match self.bag {
            Some(bag) => problems.range("bag", bag, 1..=100_000),
            None => problems.require(self.side != 2, "bag", || {
                "a board of side 2 is too small for the usual bags; set `bag`, or `side` to 3 or \
                 more"
                    .into()
            }),
        }
        problems.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bags_hold_a_quarter_of_the_cells_in_fours() {
        let bag = |side| Rules { side, ..Rules::default() }.bag_size();
        assert_eq!([bag(3), bag(5), bag(12)], [4, 12, 96]);
        assert_eq!(Rules { bag: Some(7), ..Rules::default() }.bag_size(), 7);
    }

    #[test]
    fn all_problems_are_told_at_once() {
        let rules = Rules { side: 65, run_length: 1, hand_size: 0, bag: Some(0), max_rounds: 0 };
        let text = rules.check(3).unwrap_err().to_string();
        for what in
            ["players: 3", "side: 65", "run_length: 1", "hand_size: 0", "bag: 0", "max_rounds: 0"]
        {
            assert!(text.contains(what), "{what} is missing in: {text}");
        }
        assert!(Rules { side: 2, ..Rules::default() }.check(2).is_err(), "bags would be empty");
        assert_eq!(Rules { side: 2, bag: Some(1), ..Rules::default() }.check(2), Ok(()));
    }
}
