//! The game's own protocol: a C function per bot, called once per cell.
//!
//! [`PLAYER_H`] is what bots include. A native host calls the function in another process and hands over whole
//! batches in shared memory: an array of question records there, an array of answer records back, both in the
//! order of the batch. All numbers are little-endian, the padding is 0 and ignored. The records are laid out
//! like these C structs on x86-64 and AArch64:
//!
//! ```c
//! struct question { uint8_t env[9]; uint8_t energy; uint8_t pad[6]; uint64_t memory; }; /* 24 bytes */
//! struct answer   { uint8_t action; uint8_t pad[7]; uint64_t memory; };                 /* 16 bytes */
//! ```

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Action, Answer, View};

/// The header that bots include as `cellhack/player.h`.
///
/// A host should include it for bots that do not (`cc -include cellhack/player.h`); it may be included twice.
pub const PLAYER_H: &str = include_str!("include/cellhack/player.h");

/// The path of [`PLAYER_H`] below an include directory.
pub const PLAYER_H_PATH: &str = "cellhack/player.h";

/// The function every bot defines: `uint8_t cell_decide_action(uint8_t *env, uint8_t energy, uint64_t *memory)`.
pub const FUNCTION: &str = "cell_decide_action";

/// The function a bot may define: `char *cell_name()`.
pub const NAME_FUNCTION: &str = "cell_name";

/// Bytes of a question record.
pub const QUESTION_LEN: usize = 24;

/// Bytes of an answer record.
pub const ANSWER_LEN: usize = 16;

/// The arguments of one call of the bot's function; as JSON for bots that read text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Question {
    /// The cell and its neighbours, row by row from the top left one: 0 empty, 255 rock, else a player's number
    /// plus one.
    pub env: [u8; 9],
    /// The cell's energy; 255 stands for all that does not fit a byte.
    pub energy: u8,
    /// The cell's memory.
    pub memory: u64,
}

impl Question {
    /// What `view` shows.
    pub fn new(view: &View<'_>) -> Question {
        Question { env: view.env().0, energy: view.energy(), memory: view.memory() }
    }
}

/// Writes the question record of `view`.
pub fn write_question(view: &View<'_>, out: &mut [u8; QUESTION_LEN]) {
    let Question { env, energy, memory } = Question::new(view);
    out[..9].copy_from_slice(&env);
    out[9] = energy;
    out[10..16].fill(0);
    out[16..].copy_from_slice(&memory.to_le_bytes());
}

/// Reads a question record, for the process that calls the bot's function.
pub fn read_question(record: &[u8; QUESTION_LEN]) -> Question {
    let mut env = [0; 9];
    env.copy_from_slice(&record[..9]);
    Question { env, energy: record[9], memory: last_u64(record) }
}

/// Writes an answer record: the byte that the bot's function returned, and the memory after the call.
pub fn write_answer(action: u8, memory: u64, out: &mut [u8; ANSWER_LEN]) {
    out[0] = action;
    out[1..8].fill(0);
    out[8..].copy_from_slice(&memory.to_le_bytes());
}

/// Reads an answer record to a question with the memory `old`.
///
/// A byte that is no action counts as NOTHING; whoever wants to record it looks at [`answer_byte`]. The memory
/// is taken over in either case.
pub fn read_answer(record: &[u8; ANSWER_LEN], old: u64) -> Answer {
    let memory = last_u64(record);
    Answer {
        action: Action::from_byte(answer_byte(record)).unwrap_or_default(),
        memory: (memory != old).then_some(memory),
    }
}

/// The byte that the bot's function returned, an action or not.
pub fn answer_byte(record: &[u8; ANSWER_LEN]) -> u8 {
    record[0]
}

fn last_u64(record: &[u8]) -> u64 {
    u64::from_le_bytes(*record.last_chunk().expect("records end with a memory of eight bytes"))
}

#[cfg(test)]
mod tests {
    use agon_core::{Decision, Game, Player, Seed};
    use proptest::prelude::*;

    use super::*;
    use crate::cellhack::{Cell, Cellhack, Direction, Place, Position, Rules};

    fn game(energy: u16) -> Cellhack {
        let cell = |x, y, player, memory| Cell { x, y, player, energy, memory };
        let position = Position {
            players: 3,
            turn: 0,
            cells: vec![cell(0, 0, 1, 0x0102_0304_0506_0708), cell(4, 0, 0, 0), cell(1, 1, 2, 0)],
            rocks: vec![Place { x: 0, y: 4 }],
        };
        let rules = Rules { width: 5, height: 5, ..Rules::default() };
        Cellhack::from_position(&rules, Seed(1), position).unwrap()
    }

    #[test]
    fn a_question_is_laid_out_as_documented() {
        let game = game(256);
        let mut record = [0xEE; QUESTION_LEN];
        write_question(&game.view(Decision::new(Player(1), 0)), &mut record);
        let expected = [0, 255, 0, 1, 2, 0, 0, 0, 3, 255, 0, 0, 0, 0, 0, 0, 8, 7, 6, 5, 4, 3, 2, 1];
        assert_eq!(record, expected);
        let question = read_question(&record);
        assert_eq!(question, Question::new(&game.view(Decision::new(Player(1), 0))));
        assert_eq!(question.energy, 255);
    }

    #[test]
    fn an_unknown_byte_is_nothing_but_can_be_seen() {
        let mut record = [0xEE; ANSWER_LEN];
        write_answer(0x20, 7, &mut record);
        assert_eq!(record, [0x20, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(read_answer(&record, 6), Answer { action: Action::Nothing, memory: Some(7) });
        assert_eq!(answer_byte(&record), 0x20);
    }

    proptest! {
        #[test]
        fn answers_come_back(action in 0u8..=255, memory: u64, old in prop_oneof![Just(None), any::<u64>().prop_map(Some)]) {
            let old = old.unwrap_or(memory);
            let mut record = [0; ANSWER_LEN];
            write_answer(action, memory, &mut record);
            let answer = read_answer(&record, old);
            prop_assert_eq!(answer.memory.unwrap_or(old), memory);
            prop_assert_eq!(answer.memory.is_none(), memory == old);
            prop_assert_eq!(answer.action, Action::from_byte(action).unwrap_or(Action::Nothing));
        }
    }

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
