//! [`Answer`]: the moves that a bot wants in one turn. The hosts of all kinds of bots make answers;
//! replays keep them as few bytes.

use agon_core::codec::{put_varint, take_varint};
use agon_core::{Codec, DecodeError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Direction;

/// What a bot wants in one turn; by default nothing moves.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Answer {
    /// At most one move per own cell; of several for a cell the last counts, moves of foreign cells
    /// do not
    #[serde(default)]
    pub moves: Vec<Move>,
}

/// Sends half of a cell's units, rounded down, one cell further.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Move {
    /// Column of the cell
    pub x: u32,
    /// Row of the cell
    pub y: u32,
    /// 0 up (y - 1), 1 right (x + 1), 2 down (y + 1), 3 left (x - 1)
    pub direction: Direction,
}

/// Bit of a move's first number that is set if the row changes.
const NEW_ROW: u64 = 4;

/// Moves as differences from the move before. First comes the number of moves. Each move is a
/// number: bits 0 and 1 hold the direction, bit 2 says whether the row changes, the bits above hold
/// the difference of x. If the row changes, the difference of y follows. A move near the one before
/// it in its row takes one byte.
impl Codec for Answer {
    fn encode(&self, out: &mut Vec<u8>) {
        put_varint(out, self.moves.len() as u64);
        let (mut x, mut y) = (0, 0);
        for order in &self.moves {
            let new_row = if order.y == y { 0 } else { NEW_ROW };
            put_varint(out, way(x, order.x) << 3 | new_row | u64::from(u8::from(order.direction)));
            if new_row != 0 {
                put_varint(out, way(y, order.y));
            }
            (x, y) = (order.x, order.y);
        }
    }

    fn decode(input: &mut &[u8]) -> Result<Answer, DecodeError> {
        let count = take_varint(input)?;
        // Every move takes at least a byte, so a false count cannot make this reserve much memory.
        if count > input.len() as u64 {
            return Err(DecodeError::Truncated);
        }
        let mut moves = Vec::with_capacity(count as usize);
        let (mut x, mut y) = (0, 0);
        for _ in 0..count {
            let number = take_varint(input)?;
            x = follow(x, number >> 3)?;
            if number & NEW_ROW != 0 {
                y = follow(y, take_varint(input)?)?;
            }
            moves.push(Move { x, y, direction: Direction::ALL[(number & 3) as usize] });
        }
        Ok(Answer { moves })
    }
}

/// A difference as a number that is small for small differences of either sign.
fn way(from: u32, to: u32) -> u64 {
    let difference = i64::from(to) - i64::from(from);
    ((difference << 1) ^ (difference >> 63)) as u64
}

fn follow(from: u32, way: u64) -> Result<u32, DecodeError> {
    let difference = (way >> 1) as i64 ^ -((way & 1) as i64);
    let to = i64::from(from).checked_add(difference).and_then(|to| u32::try_from(to).ok());
    to.ok_or(DecodeError::TooLarge)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn encoded(answer: &Answer) -> Vec<u8> {
        let mut bytes = Vec::new();
        answer.encode(&mut bytes);
        bytes
    }

    fn any_move() -> impl Strategy<Value = Move> {
        let side = || prop_oneof![0u32..10, any::<u32>()];
        let direction = prop::sample::select(&Direction::ALL);
        (side(), side(), direction).prop_map(|(x, y, direction)| Move { x, y, direction })
    }

    proptest! {
        /// Also those that are against the rules: they are in replays, too.
        #[test]
        fn answers_come_back(moves in prop::collection::vec(any_move(), 0..20)) {
            let answer = Answer { moves };
            let bytes = encoded(&answer);
            let mut input = bytes.as_slice();
            prop_assert_eq!(Answer::decode(&mut input), Ok(answer));
            prop_assert!(input.is_empty());
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes: Vec<u8>) {
            let _ = Answer::decode(&mut bytes.as_slice());
        }
    }

    #[test]
    fn neighbours_in_a_row_take_a_byte_each() {
        let order = |x, y| Move { x, y, direction: Direction::Left };
        let answer = Answer {
            moves: vec![order(500, 700), order(501, 700), order(504, 700), order(502, 701)],
        };
        assert_eq!(encoded(&answer).len(), 1 + 4 + 1 + 1 + 2);
        assert_eq!(encoded(&Answer::default()), [0]);
    }

    #[test]
    fn nonsense_is_refused() {
        let refused = |bytes: &[u8]| Answer::decode(&mut &*bytes).unwrap_err();
        assert_eq!(refused(&[]), DecodeError::Truncated);
        assert_eq!(refused(&[0xFF, 0xFF, 0xFF, 0x7F, 0]), DecodeError::Truncated);
        assert_eq!(refused(&[1, 0b1000]), DecodeError::TooLarge, "x would be -1");
        let mut far = vec![1];
        put_varint(&mut far, u64::MAX);
        assert_eq!(refused(&far), DecodeError::TooLarge);
    }

    #[test]
    fn json_is_that_of_the_files() {
        let answer: Answer =
            serde_json::from_str(r#"{"moves": [{"x": 4, "y": 3, "direction": 2}]}"#).unwrap();
        assert_eq!(answer.moves, [Move { x: 4, y: 3, direction: Direction::Down }]);
    }
}
