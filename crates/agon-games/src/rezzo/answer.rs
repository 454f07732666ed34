//! [`Answer`]: what came from a bot in a tick, and [`Ack`], what the next message says about it.
//! The hosts of all kinds of bots make answers; replays keep them as one byte.

use agon_core::{Codec, DecodeError, codec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An action of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Action {
    /// Nothing.
    Nop,
    /// A step ahead onto a blank cell.
    Advance,
    /// A turn to the left on the spot.
    TurnLeft,
    /// A turn to the right on the spot.
    TurnRight,
    /// A step ahead onto a blank cell that leaves a conductor behind.
    Build,
    /// Damage to the wire or flag ahead.
    Hit,
}

impl Action {
    /// All actions.
    pub const ALL: [Action; 6] = [
        Action::Nop,
        Action::Advance,
        Action::TurnLeft,
        Action::TurnRight,
        Action::Build,
        Action::Hit,
    ];
}

/// What came from a bot in a tick.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Answer {
    /// No message with the tick's number, or none in time.
    #[default]
    Silence,
    /// [`Action::Nop`]
    Nop,
    /// [`Action::Advance`]
    Advance,
    /// [`Action::TurnLeft`]
    TurnLeft,
    /// [`Action::TurnRight`]
    TurnRight,
    /// [`Action::Build`]
    Build,
    /// [`Action::Hit`]
    Hit,
    /// A message that names no action.
    Garbage,
    /// Several messages: the first counts (none if it named no action), the others are dropped.
    Several(Option<Action>),
    /// The bot has ended: its agent does nothing more and loses at the end of the generation.
    Gone,
}

impl Answer {
    /// The action to carry out.
    pub fn action(self) -> Option<Action> {
        match self {
            Answer::Nop => Some(Action::Nop),
            Answer::Advance => Some(Action::Advance),
            Answer::TurnLeft => Some(Action::TurnLeft),
            Answer::TurnRight => Some(Action::TurnRight),
            Answer::Build => Some(Action::Build),
            Answer::Hit => Some(Action::Hit),
            Answer::Several(first) => first,
            Answer::Silence | Answer::Garbage | Answer::Gone => None,
        }
    }

    /// What is wrong with the bot's messages, if anything.
    pub fn complaint(self) -> Option<&'static str> {
        match self {
            Answer::Garbage => {
                Some("the message names no action; actions are ' ', '^', '\\', '/', '.', '!'")
            }
            Answer::Several(_) => {
                Some("several messages in one tick; all but the first were dropped")
            }
            _ => None,
        }
    }
}

impl From<Action> for Answer {
    fn from(action: Action) -> Answer {
        match action {
            Action::Nop => Answer::Nop,
            Action::Advance => Answer::Advance,
            Action::TurnLeft => Answer::TurnLeft,
            Action::TurnRight => Answer::TurnRight,
            Action::Build => Answer::Build,
            Action::Hit => Answer::Hit,
        }
    }
}

/// What a message tells a bot about its previous answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Ack {
    /// 0: done; or there was no previous tick.
    #[default]
    Ok,
    /// 1: no message came.
    NoMessage,
    /// 2: the action was not possible; nothing happened.
    Invalid,
    /// 3: the message named no action.
    Garbage,
    /// 4: several messages came; all but the first were dropped.
    Several,
}

impl Ack {
    /// The number in the message.
    pub const fn code(self) -> u8 {
        self as u8
    }
}

/// The codes of answers; an answer of several messages is [`SEVERAL`] plus the first one's code or
/// [`GARBAGE`].
const SIMPLE: [Answer; 9] = [
    Answer::Silence,
    Answer::Nop,
    Answer::Advance,
    Answer::TurnLeft,
    Answer::TurnRight,
    Answer::Build,
    Answer::Hit,
    Answer::Garbage,
    Answer::Gone,
];
const GARBAGE: u8 = 7;
const SEVERAL: u8 = 16;

impl Codec for Answer {
    fn encode(&self, out: &mut Vec<u8>) {
        let code =
            |answer| SIMPLE.iter().position(|&a| a == answer).map_or(GARBAGE, |code| code as u8);
        out.push(match *self {
            Answer::Several(first) => SEVERAL + first.map_or(GARBAGE, |action| code(action.into())),
            simple => code(simple),
        });
    }

    fn decode(input: &mut &[u8]) -> Result<Answer, DecodeError> {
        let byte = codec::take_byte(input)?;
        let several = byte >= SEVERAL;
        let code = if several { byte - SEVERAL } else { byte };
        let simple = SIMPLE.get(usize::from(code)).copied().ok_or(DecodeError::Unknown(byte))?;
        match (several, simple) {
            (false, simple) => Ok(simple),
            (true, Answer::Garbage) => Ok(Answer::Several(None)),
            (true, first) => match first.action() {
                Some(action) => Ok(Answer::Several(Some(action))),
                None => Err(DecodeError::Unknown(byte)),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_one_answer_or_refused_and_every_answer_has_one() {
        let mut answers = 0;
        for byte in 0..=255 {
            if let Ok(answer) = Answer::decode(&mut [byte].as_slice()) {
                let mut bytes = Vec::new();
                answer.encode(&mut bytes);
                assert_eq!(bytes, [byte], "{answer:?}");
                answers += 1;
            }
        }
        assert_eq!(answers, SIMPLE.len() + Action::ALL.len() + 1);
        assert_eq!(Answer::decode(&mut [].as_slice()), Err(DecodeError::Truncated));
    }

    #[test]
    fn answers_read_well_as_json() {
        for (answer, text) in [
            (Answer::Silence, r#""SILENCE""#),
            (Answer::TurnLeft, r#""TURN_LEFT""#),
            (Answer::Several(Some(Action::Hit)), r#"{"SEVERAL":"HIT"}"#),
            (Answer::Several(None), r#"{"SEVERAL":null}"#),
        ] {
            assert_eq!(serde_json::to_string(&answer).unwrap(), text);
            assert_eq!(serde_json::from_str::<Answer>(text).unwrap(), answer);
        }
    }
}
