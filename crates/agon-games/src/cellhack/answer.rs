//! [`Answer`]: what a bot decides for one cell, its action and new memory. The hosts of all kinds
//! of bots make answers; replays keep them as one byte or few.

use agon_core::{
    Codec, DecodeError,
    codec::{put_varint, take_byte, take_varint},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Action;

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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::cellhack::Direction;

    fn answers() -> impl Strategy<Value = Answer> {
        let action = proptest::sample::select(Action::all().collect::<Vec<_>>());
        (action, any::<Option<u64>>()).prop_map(|(action, memory)| Answer { action, memory })
    }

    proptest! {
        #[test]
        fn answers_come_back(answer in answers()) {
            let mut bytes = Vec::new();
            answer.encode(&mut bytes);
            let mut input = bytes.as_slice();
            prop_assert_eq!(Answer::decode(&mut input), Ok(answer));
            prop_assert!(input.is_empty());
            let json = serde_json::to_string(&answer).unwrap();
            prop_assert_eq!(serde_json::from_str::<Answer>(&json).unwrap(), answer);
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes: Vec<u8>) {
            let mut input = bytes.as_slice();
            if let Ok(answer) = Answer::decode(&mut input) {
                prop_assert!(Action::from_byte(bytes[0] & 0x7F) == Some(answer.action));
            }
        }
    }

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
}
