//! [`Answer`]: a player's move, and its form as text. The hosts of all kinds of bots make answers;
//! replays keep them as one byte.

use std::{borrow::Cow, fmt, str::FromStr};

use agon_core::codec::{put_varint, take_byte, take_varint};
use agon_core::{Codec, DecodeError};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// A move. As text, in JSON too: `PLACE 3 0`, `ROTATE 2`, `FORFEIT`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Answer {
    /// Let a pellet fall into a column.
    Place {
        /// The column, from 0.
        column: u16,
        /// The pellet's colour; it has to be in hand.
        color: u8,
    },
    /// Turn the gravity by so many sixths, from 1 to 5; the pellets in hand are burnt.
    Rotate {
        /// Sixths of a full turn.
        cycles: u8,
    },
    /// Give the game up. What a fault counts as.
    #[default]
    Forfeit,
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Answer::Place { column, color } => write!(f, "PLACE {column} {color}"),
            Answer::Rotate { cycles } => write!(f, "ROTATE {cycles}"),
            Answer::Forfeit => f.write_str("FORFEIT"),
        }
    }
}

impl From<Answer> for String {
    fn from(answer: Answer) -> String {
        answer.to_string()
    }
}

/// What is said of a line without a command.
pub(super) fn no_command(line: &str) -> String {
    let is_empty = line.split_ascii_whitespace().next().is_none();
    let came = if is_empty { "an empty line".into() } else { quote(line) };
    format!("{came} came, but `PLACE column color` or `ROTATE cycles` was expected")
}

/// Reads words that are separated by blanks; commands are upper case.
impl FromStr for Answer {
    type Err = String;

    fn from_str(line: &str) -> Result<Answer, String> {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let takes = |expected| format!("{} came, but {} takes {expected}", quote(line), words[0]);
        match words[..] {
            ["PLACE", column, color] => Ok(Answer::Place {
                column: number(line, "column", column, u16::MAX)?,
                color: number(line, "color", color, u8::MAX)?,
            }),
            ["PLACE", ..] => Err(takes("a column and a color")),
            ["ROTATE", cycles] => {
                Ok(Answer::Rotate { cycles: number(line, "cycles", cycles, u8::MAX)? })
            }
            ["ROTATE", ..] => Err(takes("a number of cycles")),
            ["FORFEIT"] => Ok(Answer::Forfeit),
            ["FORFEIT", ..] => Err(takes("nothing else")),
            _ => Err(no_command(line)),
        }
    }
}

/// Reads a number up to `max`, the largest that can be kept; the rules allow fewer.
fn number<T: FromStr + fmt::Display>(
    line: &str,
    what: &str,
    word: &str,
    max: T,
) -> Result<T, String> {
    // `parse` alone would accept `+3`, too.
    let digits = word.bytes().all(|byte| byte.is_ascii_digit());
    word.parse().ok().filter(|_| digits).ok_or_else(|| {
        let (line, word) = (quote(line), quote(word));
        format!("{line} came, but its {what} {word} is not a number from 0 to {max}")
    })
}

/// Returns a text between back ticks, short enough for a message and without control characters.
fn quote(text: &str) -> String {
    const MAX_SHOWN: usize = 60;
    let text = text.trim();
    let shown: String = text.chars().take(MAX_SHOWN).flat_map(char::escape_debug).collect();
    let more = if text.chars().nth(MAX_SHOWN).is_some() { "…" } else { "" };
    format!("`{shown}{more}`")
}

impl TryFrom<String> for Answer {
    type Error = String;

    fn try_from(text: String) -> Result<Answer, String> {
        text.parse()
    }
}

impl JsonSchema for Answer {
    fn schema_name() -> Cow<'static, str> {
        "Answer".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "pattern": "^(PLACE [0-9]+ [0-9]+|ROTATE [0-9]+|FORFEIT)$",
            "description": "`PLACE column color`, `ROTATE cycles` or `FORFEIT`"
        })
    }
}

// Codes: 0 forfeits, 1..=5 rotate, 6 and 7 stand for numbers that break the rules, all others
// place.
const OTHER_ROTATION: u64 = 6;
const OTHER_COLOR: u64 = 7;
const FIRST_PLACE: u64 = 8;

/// On the usual board, every legal answer takes one byte.
impl Codec for Answer {
    fn encode(&self, out: &mut Vec<u8>) {
        match *self {
            Answer::Forfeit => put_varint(out, 0),
            Answer::Rotate { cycles: cycles @ 1..=5 } => put_varint(out, cycles.into()),
            Answer::Rotate { cycles } => out.extend([OTHER_ROTATION as u8, cycles]),
            Answer::Place { column, color: color @ 0..=3 } => {
                put_varint(out, FIRST_PLACE + u64::from(column) * 4 + u64::from(color));
            }
            Answer::Place { column, color } => {
                out.extend([OTHER_COLOR as u8, color]);
                put_varint(out, column.into());
            }
        }
    }

    fn decode(input: &mut &[u8]) -> Result<Answer, DecodeError> {
        let column = |number: u64| u16::try_from(number).map_err(|_| DecodeError::TooLarge);
        match take_varint(input)? {
            0 => Ok(Answer::Forfeit),
            cycles @ 1..=5 => Ok(Answer::Rotate { cycles: cycles as u8 }),
            OTHER_ROTATION => match take_byte(input)? {
                cycles @ 1..=5 => Err(DecodeError::Unknown(cycles)),
                cycles => Ok(Answer::Rotate { cycles }),
            },
            OTHER_COLOR => match take_byte(input)? {
                color @ 0..=3 => Err(DecodeError::Unknown(color)),
                color => Ok(Answer::Place { column: column(take_varint(input)?)?, color }),
            },
            place => {
                let place = place - FIRST_PLACE;
                Ok(Answer::Place { column: column(place / 4)?, color: (place % 4) as u8 })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn any_answer() -> impl Strategy<Value = Answer> {
        prop_oneof![
            (any::<u16>(), any::<u8>()).prop_map(|(column, color)| Answer::Place { column, color }),
            any::<u8>().prop_map(|cycles| Answer::Rotate { cycles }),
            Just(Answer::Forfeit),
        ]
    }

    proptest! {
        /// Also those that are against the rules: they are in replays, too.
        #[test]
        fn answers_come_back(answer in any_answer()) {
            let mut bytes = vec![];
            answer.encode(&mut bytes);
            let mut input = bytes.as_slice();
            prop_assert_eq!(Answer::decode(&mut input), Ok(answer));
            prop_assert!(input.is_empty());
            prop_assert_eq!(answer.to_string().parse(), Ok(answer));
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes: Vec<u8>, text: String) {
            let mut input = bytes.as_slice();
            if let Ok(answer) = Answer::decode(&mut input) {
                let mut again = vec![];
                answer.encode(&mut again);
                prop_assert_eq!(Answer::decode(&mut again.as_slice()), Ok(answer));
            }
            let _ = text.parse::<Answer>();
        }
    }

    #[test]
    fn usual_answers_take_one_byte() {
        let size = |answer: Answer| {
            let mut bytes = vec![];
            answer.encode(&mut bytes);
            bytes.len()
        };
        assert_eq!(size(Answer::Place { column: 22, color: 3 }), 1);
        assert_eq!(size(Answer::Rotate { cycles: 5 }), 1);
        assert_eq!(size(Answer::Forfeit), 1);
    }

    #[test]
    fn nonsense_is_refused() {
        assert_eq!(Answer::decode(&mut [6, 3].as_slice()), Err(DecodeError::Unknown(3)));
        assert_eq!(Answer::decode(&mut [7, 1, 0].as_slice()), Err(DecodeError::Unknown(1)));
        assert_eq!(Answer::decode(&mut [0xFF; 9].as_slice()), Err(DecodeError::Truncated));
        assert_eq!(Answer::decode(&mut [0xFF, 0xFF, 0x7F].as_slice()), Err(DecodeError::TooLarge));
    }

    #[test]
    fn errors_quote_what_came_and_say_what_is_expected() {
        let error = |text: &str| text.parse::<Answer>().unwrap_err().to_string();
        assert_eq!(
            error("place 1 2"),
            "`place 1 2` came, but `PLACE column color` or `ROTATE cycles` was expected"
        );
        assert_eq!(
            error(" "),
            "an empty line came, but `PLACE column color` or `ROTATE cycles` was expected"
        );
        assert_eq!(error("PLACE 1"), "`PLACE 1` came, but PLACE takes a column and a color");
        assert_eq!(error("ROTATE"), "`ROTATE` came, but ROTATE takes a number of cycles");
        assert_eq!(
            error("PLACE x 2"),
            "`PLACE x 2` came, but its column `x` is not a number from 0 to 65535"
        );
        assert_eq!(
            error("ROTATE -1"),
            "`ROTATE -1` came, but its cycles `-1` is not a number from 0 to 255"
        );
        assert!(error("ROTATE +1").contains("`+1`"));
        assert!(error(&"x".repeat(100)).starts_with(&format!("`{}…` came", "x".repeat(60))));
    }
}
