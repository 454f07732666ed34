//! The game's own protocol: a bot is a C function, called once per cell. This file holds the header
//! that bots include, [`PLAYER_H`], and the name of the function.
//!
//! The host in `agon-bots` compiles such bots, and calls the function in another process, which
//! gets whole batches as [flat memory](crate::batch).

/// The header that bots include as `cellhack/player.h`.
///
/// Hosts should also include it themselves, for bots that do not (`cc -include cellhack/player.h`).
/// It may be included twice.
pub const PLAYER_H: &str = include_str!("include/cellhack/player.h");

/// The path of [`PLAYER_H`] below an include directory.
pub const PLAYER_H_PATH: &str = "cellhack/player.h";

/// The function every bot defines:
/// `uint8_t cell_decide_action(uint8_t *env, uint8_t energy, uint64_t *memory)`.
pub const FUNCTION: &str = "cell_decide_action";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cellhack::{Action, Direction, Rules};

    /// The value of a `#define` in the header; names and sums are followed.
    fn defined(name: &str) -> u32 {
        let prefix = format!("#define {name} ");
        let line = PLAYER_H.lines().find_map(|line| line.strip_prefix(&prefix));
        let text = line.unwrap_or_else(|| panic!("the header lacks {name}"));
        let text = text.split("/*").next().unwrap_or(text).trim();
        if let Some((base, offset)) = text.trim_matches(['(', ')']).split_once(" + ") {
            return defined(base) + defined(offset);
        }
        match text.strip_prefix("0x") {
            Some(hex) => u32::from_str_radix(hex, 16).unwrap(),
            None => text.parse().unwrap_or_else(|_| defined(text)),
        }
    }

    #[test]
    fn the_header_agrees_with_the_game() {
        for action in Action::all() {
            assert_eq!(defined(action.name()), u32::from(action.byte()), "{action}");
        }
        for (direction, name) in Direction::ALL.into_iter().zip(["UP", "LEFT", "RIGHT", "DOWN"]) {
            assert_eq!(defined(name), direction as u32);
        }
        let diagonals = ["LEFT_UP", "UP_LEFT", "RIGHT_UP", "UP_RIGHT"].map(defined);
        assert_eq!(diagonals, [0, 0, 2, 2]);
        let diagonals = ["LEFT_DOWN", "DOWN_LEFT", "RIGHT_DOWN", "DOWN_RIGHT"].map(defined);
        assert_eq!(diagonals, [6, 6, 8, 8]);
        assert_eq!([defined("CENTER"), defined("EMPTY"), defined("ROCK")], [4, 0, 255]);
        let rules = Rules::default();
        assert_eq!(defined("ENERGY_MIN"), u32::from(rules.energy_min));
        assert_eq!(defined("ENERGY_MIN_SPLIT"), u32::from(rules.energy_min_split));
        assert_eq!(defined("ENERGY_START"), u32::from(rules.energy_start));
        assert_eq!(defined("ENERGY_MAX"), u32::from(rules.energy_max).min(255));
    }
}
