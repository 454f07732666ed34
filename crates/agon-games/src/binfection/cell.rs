//! The types [`Cell`] and [`Direction`] of binfection.

use agon_core::Player;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A cell of the field and what is on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cell {
    /// Column, from 0 at the left
    pub x: u32,
    /// Row, from 0 at the top
    pub y: u32,
    /// The player whose units they are; none on an empty cell
    pub owner: Option<Player>,
    /// Number of units, up to 10^12
    pub units: u64,
}

/// Where units go; 0 to 3 on every wire.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "u8", into = "u8")]
#[schemars(with = "u8", extend("minimum" = 0, "maximum" = 3))]
pub enum Direction {
    /// 0: to the row above, y − 1.
    Up,
    /// 1: to the column on the right, x + 1.
    Right,
    /// 2: to the row below, y + 1.
    Down,
    /// 3: to the column on the left, x − 1.
    Left,
}

impl Direction {
    /// All four, in order of their numbers.
    pub const ALL: [Direction; 4] =
        [Direction::Up, Direction::Right, Direction::Down, Direction::Left];

    /// The change of x and y.
    pub fn offset(self) -> (i32, i32) {
        match self {
            Direction::Up => (0, -1),
            Direction::Right => (1, 0),
            Direction::Down => (0, 1),
            Direction::Left => (-1, 0),
        }
    }
}

impl From<Direction> for u8 {
    fn from(direction: Direction) -> u8 {
        direction as u8
    }
}

impl TryFrom<u8> for Direction {
    type Error = String;

    fn try_from(number: u8) -> Result<Direction, String> {
        let direction = Direction::ALL.get(usize::from(number)).copied();
        direction.ok_or_else(|| {
            format!("direction {number} is not 0 (up), 1 (right), 2 (down) or 3 (left)")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_directions_are_the_same() {
        for (number, direction) in (0..).zip(Direction::ALL) {
            assert_eq!(Direction::try_from(number), Ok(direction));
            assert_eq!(u8::from(direction), number);
        }
        assert!(serde_json::from_str::<Direction>("4").unwrap_err().to_string().contains("0 (up)"));
    }
}
