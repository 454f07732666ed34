//! [`Answer`]: what a bot decides for one cell, its action and new memory. The hosts of all kinds
//! of bots make answers; replays keep them as one byte or few.

use std::{borrow::Cow, fmt, str::FromStr};

use agon_core::codec::{put_varint, take_byte, take_varint};
use agon_core::{Codec, DecodeError, did_you_mean};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// What a bot replies for one cell: `{"action": "MOVE_UP", "memory": 5}`. A fault counts as doing
/// nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Answer {
    /// What the cell does.
    pub action: Action,
    /// What the cell's memory becomes, before it acts; none: it stays as it is.
    pub memory: Option<u64>,
}

impl Answer {
    /// The action, with the memory left alone.
    pub fn new(action: Action) -> Answer {
        Answer { action, memory: None }
    }
}

/// Set in the first byte of an encoded answer if the memory follows; no action's byte has it.
const MEMORY_FOLLOWS: u8 = 0x80;

impl Codec for Answer {
    fn encode(&self, out: &mut Vec<u8>) {
        match self.memory {
            None => out.push(self.action.byte()),
            Some(memory) => {
                out.push(self.action.byte() | MEMORY_FOLLOWS);
                put_varint(out, memory);
            }
        }
    }

    fn decode(input: &mut &[u8]) -> Result<Answer, DecodeError> {
        let byte = take_byte(input)?;
        let action = Action::from_byte(byte & !MEMORY_FOLLOWS).ok_or(DecodeError::Unknown(byte))?;
        let memory = if byte & MEMORY_FOLLOWS == 0 { None } else { Some(take_varint(input)?) };
        Ok(Answer { action, memory })
    }
}

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
    pub const fn byte(self) -> u8 {
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
        let base = BASES[(kind & 7) as usize];
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
            let mut number = 0;
            while number < NAMES.len() {
                let (action, _) = NAMES[number];
                all[action.byte() as usize] = Some(action);
                number += 1;
            }
            all
        };
        ALL[usize::from(byte)]
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

impl FromStr for Action {
    type Err = String;

    fn from_str(text: &str) -> Result<Action, String> {
        if let Some((action, _)) = NAMES.iter().find(|(_, name)| *name == text) {
            return Ok(*action);
        }
        let names = NAMES.map(|(_, name)| name);
        let hint = match did_you_mean(text, names) {
            Some(name) => format!("; did you mean `{name}`?"),
            None => format!(" (there are: {})", names.join(", ")),
        };
        Err(format!("there is no action `{text}`{hint}"))
    }
}

impl From<Action> for &'static str {
    fn from(action: Action) -> &'static str {
        action.name()
    }
}

impl TryFrom<Cow<'_, str>> for Action {
    type Error = String;

    fn try_from(text: Cow<'_, str>) -> Result<Action, String> {
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
    fn an_answer_without_memory_is_one_byte() {
        let mut bytes = Vec::new();
        Answer::new(Action::Move(Direction::Up)).encode(&mut bytes);
        Answer { action: Action::Rest, memory: Some(5) }.encode(&mut bytes);
        assert_eq!(bytes, [0x21, 0x81, 5]);
    }

    #[test]
    fn nonsense_is_refused() {
        let decode = |bytes: &[u8]| Answer::decode(&mut &*bytes);
        assert_eq!(decode(&[]), Err(DecodeError::Truncated));
        assert_eq!(decode(&[0x20]), Err(DecodeError::Unknown(0x20)));
        assert_eq!(decode(&[0x80]), Err(DecodeError::Unknown(0x80)));
        assert_eq!(decode(&[0x81]), Err(DecodeError::Truncated));
    }

    #[test]
    fn json_is_short_and_readable() {
        let read = |json: &str| serde_json::from_str::<Answer>(json);
        let answer = Answer { action: Action::Move(Direction::Up), memory: Some(5) };
        assert_eq!(serde_json::to_string(&answer).unwrap(), r#"{"action":"MOVE_UP","memory":5}"#);
        assert_eq!(read(r#"{"action":"REST"}"#).unwrap(), Answer::new(Action::Rest));
        assert_eq!(read("{}").unwrap(), Answer::default());
        assert!(read(r#"{"move":"UP"}"#).is_err());
    }

    #[test]
    fn bytes_and_names_read_back() {
        for action in Action::all() {
            assert_eq!(Action::from_byte(action.byte()), Some(action));
            assert_eq!(action.name().parse(), Ok(action));
        }
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
