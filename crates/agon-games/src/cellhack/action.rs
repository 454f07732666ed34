//! The actions of a cell and their directions, with their names in JSON and their bytes in C.

use std::{borrow::Cow, fmt, str::FromStr};

use agon_core::did_you_mean;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The direction of one of the four neighbours that an action can aim at. Its number is its place
/// in [`Env`](super::Env).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Direction {
    /// The row above.
    Up = 1,
    /// The column to the left.
    Left = 3,
    /// The column to the right.
    Right = 5,
    /// The row below.
    Down = 7,
}

impl Direction {
    /// All directions, by number.
    pub const ALL: [Direction; 4] =
        [Direction::Up, Direction::Left, Direction::Right, Direction::Down];

    /// The direction back.
    pub fn opposite(self) -> Direction {
        match self {
            Direction::Up => Direction::Down,
            Direction::Left => Direction::Right,
            Direction::Right => Direction::Left,
            Direction::Down => Direction::Up,
        }
    }
}

/// What a cell does in a turn. In JSON an action is its name in the C header: `"REST"`,
/// `"MOVE_UP"`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "&'static str", try_from = "Cow<'_, str>")]
pub enum Action {
    /// Waits.
    #[default]
    Nothing,
    /// Gains energy, the more the fewer neighbours there are.
    Rest,
    /// Disappears.
    Die,
    /// Takes energy from the cell there, own or foreign.
    Eat(Direction),
    /// Gives energy to the cell there, own or foreign.
    Feed(Direction),
    /// Goes there if the place is free.
    Move(Direction),
    /// Puts half of itself there if the place is free and its energy is enough.
    Split(Direction),
}

// The bytes of actions. For actions with a direction, its number is added.
pub(super) const REST: u8 = 1;
pub(super) const NOTHING: u8 = 2;
pub(super) const DIE: u8 = 3;
pub(super) const EAT_BASE: u8 = 0x10;
pub(super) const MOVE_BASE: u8 = 0x20;
pub(super) const SPLIT_BASE: u8 = 0x30;
pub(super) const FEED_BASE: u8 = 0x40;

/// All actions with their names.
const NAMES: [(Action, &str); 19] = {
    use Action::{Die, Eat, Feed, Move, Nothing, Rest, Split};
    use Direction::{Down, Left, Right, Up};
    [
        (Rest, "REST"),
        (Nothing, "NOTHING"),
        (Die, "DIE"),
        (Eat(Up), "EAT_UP"),
        (Eat(Left), "EAT_LEFT"),
        (Eat(Right), "EAT_RIGHT"),
        (Eat(Down), "EAT_DOWN"),
        (Move(Up), "MOVE_UP"),
        (Move(Left), "MOVE_LEFT"),
        (Move(Right), "MOVE_RIGHT"),
        (Move(Down), "MOVE_DOWN"),
        (Split(Up), "SPLIT_UP"),
        (Split(Left), "SPLIT_LEFT"),
        (Split(Right), "SPLIT_RIGHT"),
        (Split(Down), "SPLIT_DOWN"),
        (Feed(Up), "FEED_UP"),
        (Feed(Left), "FEED_LEFT"),
        (Feed(Right), "FEED_RIGHT"),
        (Feed(Down), "FEED_DOWN"),
    ]
};

impl Action {
    /// All actions, by byte.
    pub fn all() -> impl Iterator<Item = Action> {
        NAMES.into_iter().map(|(action, _)| action)
    }

    /// The byte in the C header: a base plus the number of the direction.
    #[inline]
    pub fn byte(self) -> u8 {
        // Processors cannot predict the actions, so this must compile to a table and a comparison,
        // not to branches.
        const BASES: [u8; 8] = [NOTHING, REST, DIE, EAT_BASE, FEED_BASE, MOVE_BASE, SPLIT_BASE, 0];
        let kind: u8 = match self {
            Action::Nothing => 0,
            Action::Rest => 1,
            Action::Die => 2,
            Action::Eat(_) => 3,
            Action::Feed(_) => 4,
            Action::Move(_) => 5,
            Action::Split(_) => 6,
        };
        let base = BASES[usize::from(kind & 7)];
        let direction = match self {
            Action::Eat(d) | Action::Move(d) | Action::Split(d) | Action::Feed(d) => d as u8,
            Action::Rest | Action::Nothing | Action::Die => 0,
        };
        base + direction
    }

    /// The action that a byte stands for; `None` for a byte without meaning, such as a diagonal
    /// direction.
    ///
    /// In the game such a byte counts as [`Action::Nothing`]; hosts find it here and record the
    /// fault.
    #[inline]
    pub fn from_byte(byte: u8) -> Option<Action> {
        static ALL: [Option<Action>; 256] = {
            let mut all = [None; 256];
            let mut byte = 0;
            while byte < all.len() {
                all[byte] = Action::meant_by(byte as u8);
                byte += 1;
            }
            all
        };
        ALL[usize::from(byte)]
    }

    const fn meant_by(byte: u8) -> Option<Action> {
        use Action::{Eat, Feed, Move, Split};
        use Direction::{Down, Left, Right, Up};
        match byte {
            REST => Some(Action::Rest),
            NOTHING => Some(Action::Nothing),
            DIE => Some(Action::Die),
            0x11 => Some(Eat(Up)),
            0x13 => Some(Eat(Left)),
            0x15 => Some(Eat(Right)),
            0x17 => Some(Eat(Down)),
            0x21 => Some(Move(Up)),
            0x23 => Some(Move(Left)),
            0x25 => Some(Move(Right)),
            0x27 => Some(Move(Down)),
            0x31 => Some(Split(Up)),
            0x33 => Some(Split(Left)),
            0x35 => Some(Split(Right)),
            0x37 => Some(Split(Down)),
            0x41 => Some(Feed(Up)),
            0x43 => Some(Feed(Left)),
            0x45 => Some(Feed(Right)),
            0x47 => Some(Feed(Down)),
            _ => None,
        }
    }

    /// The name in the C header.
    pub fn name(self) -> &'static str {
        let found = NAMES.iter().find(|(action, _)| *action == self);
        found.expect("the table names every action").1
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that no action has.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("there is no action `{name}`{}", match .suggestion {
    Some(s) => format!("; did you mean `{s}`?"),
    None => format!(" (there are: {})", NAMES.map(|(_, name)| name).join(", ")),
})]
pub struct UnknownAction {
    /// The name given.
    pub name: String,
    /// The action that was probably meant.
    pub suggestion: Option<&'static str>,
}

impl FromStr for Action {
    type Err = UnknownAction;

    fn from_str(text: &str) -> Result<Action, UnknownAction> {
        let found = NAMES.iter().find(|(_, name)| *name == text);
        found.map(|(action, _)| *action).ok_or_else(|| UnknownAction {
            name: text.to_owned(),
            suggestion: did_you_mean(text, NAMES.map(|(_, name)| name)),
        })
    }
}

impl From<Action> for &'static str {
    fn from(action: Action) -> &'static str {
        action.name()
    }
}

impl TryFrom<Cow<'_, str>> for Action {
    type Error = UnknownAction;

    fn try_from(text: Cow<'_, str>) -> Result<Action, UnknownAction> {
        text.parse()
    }
}

impl JsonSchema for Action {
    fn schema_name() -> Cow<'static, str> {
        "Action".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "enum": NAMES.map(|(_, name)| name) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_and_names_read_back() {
        for action in Action::all() {
            assert_eq!(Action::from_byte(action.byte()), Some(action));
            assert_eq!(action.name().parse(), Ok(action));
        }
    }

    #[test]
    fn nineteen_bytes_are_actions() {
        let known: Vec<u8> = (0..=255).filter(|&b| Action::from_byte(b).is_some()).collect();
        assert_eq!(
            known,
            [
                1, 2, 3, 0x11, 0x13, 0x15, 0x17, 0x21, 0x23, 0x25, 0x27, 0x31, 0x33, 0x35, 0x37,
                0x41, 0x43, 0x45, 0x47
            ]
        );
    }

    #[test]
    fn unknown_names_get_a_suggestion() {
        let error = serde_json::from_str::<Action>("\"MOVE_UPP\"").unwrap_err();
        assert!(
            error.to_string().contains("there is no action `MOVE_UPP`; did you mean `MOVE_UP`?"),
            "{error}"
        );
    }
}
