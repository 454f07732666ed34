//! The messages with which a page follows a running match.
//!
//! `agon-show` makes them while the match is played, `agon-web-host` keeps them and sends them to
//! each page, and the viewer in the page reads them (`crate::live`).
//!
//! A message is a byte for its kind, the length of its contents (four bytes, lowest first), and the
//! contents:
//!
//! | kind | contents |
//! | --- | --- |
//! | 1: begin | the start of a replay: magic, version, header (`docs/replay-format.md`) |
//! | 2: step | number of answers (varint), answers as in replays, hash of the next state |
//! | 3: end | nothing: the match is over |
//! | 4: question | JSON: [`Question`] |
//! | 5: closed | nothing: the question does not wait any more |
//! | 6: alive | nothing: the connection works, though nothing has happened for a while |
//! | 7: shown | instead of 1 and 2 in a game that pages do not know: what is to be seen at the start |
//! | 8: shown step | the same after a step ([`agon_games::any::shown`]) |
//! | 9: hints | JSON: a person's gestures so far, and what the screen shows for them |
//! | 10: replay | in a file: the replay that such messages show |
//!
//! The hash has eight bytes, lowest first.
//!
//! When Agon plays a void match again, the match begins again with kind 1. So does a match that has
//! become too long to keep: it then begins with its current state, and `steps_before` in its header
//! counts the steps before that. A late page first gets all messages since the last beginning, but
//! only the question that still waits.

use serde::{Deserialize, Serialize};

/// A match begins.
pub const BEGIN: u8 = 1;
/// A step of the match.
pub const STEP: u8 = 2;
/// The match is over.
pub const END: u8 = 3;
/// A person is asked.
pub const QUESTION: u8 = 4;
/// The question does not wait any more.
pub const CLOSED: u8 = 5;
/// Nothing has happened for a while.
pub const ALIVE: u8 = 6;

/// A match begins, in a game that pages do not know.
pub const SHOWN: u8 = 7;
/// A step of such a match.
pub const SHOWN_STEP: u8 = 8;
/// What the screen shows for the question of such a match.
pub const HINTS: u8 = 9;
/// The file of a replay, which is saved.
pub const REPLAY: u8 = 10;

/// Bytes before a message's contents.
const HEAD: usize = 5;

/// A person is asked for the orders of a player, for all of its decisions in the newest state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// The number of the question in the match.
    pub question: u64,
    /// The number of steps before its state.
    pub step: u64,
    /// The player's number, from 0.
    pub player: u16,
    /// The milliseconds that are left for the orders; `None` without a limit.
    pub left_ms: Option<u64>,
}

/// Makes a message of this kind.
///
/// # Panics
/// If the contents have 4 GiB or more, which no step's answers have.
pub fn message(kind: u8, contents: &[u8]) -> Vec<u8> {
    let length = u32::try_from(contents.len()).expect("a step's answers take less than 4 GiB");
    let mut bytes = Vec::with_capacity(HEAD + contents.len());
    bytes.push(kind);
    bytes.extend_from_slice(&length.to_le_bytes());
    bytes.extend_from_slice(contents);
    bytes
}

/// Takes the first message off the input, if it is complete: its kind and contents.
pub fn take<'a>(input: &mut &'a [u8]) -> Option<(u8, &'a [u8])> {
    let (head, rest) = input.split_at_checked(HEAD)?;
    let length = u32::from_le_bytes([head[1], head[2], head[3], head[4]]) as usize;
    let (contents, rest) = rest.split_at_checked(length)?;
    *input = rest;
    Some((head[0], contents))
}

/// Makes the message that the match is over.
pub fn end() -> Vec<u8> {
    message(END, &[])
}

/// Makes the message that a person is asked.
pub fn question(question: &Question) -> Vec<u8> {
    message(QUESTION, &serde_json::to_vec(question).expect("numbers can be written as JSON"))
}

/// Makes the message that the question does not wait any more.
pub fn closed() -> Vec<u8> {
    message(CLOSED, &[])
}

/// Makes the message that the connection works, though nothing has happened for a while.
pub fn alive() -> Vec<u8> {
    message(ALIVE, &[])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_as_documented() {
        let asked = Question { question: 3, step: 12, player: 0, left_ms: None };
        let json = br#"{"question":3,"step":12,"player":0,"left_ms":null}"#;
        let all = [question(&asked), closed(), end(), message(STEP, b"abc")].concat();
        assert_eq!(all[..5], [4, json.len() as u8, 0, 0, 0]);
        let mut input = all.as_slice();
        assert_eq!(take(&mut input), Some((QUESTION, &json[..])));
        assert_eq!(take(&mut input), Some((CLOSED, &b""[..])));
        assert_eq!(take(&mut input), Some((END, &b""[..])));
        for length in 0..input.len() {
            assert_eq!(take(&mut &input[..length]), None, "{length}");
        }
        assert_eq!((take(&mut input), input), (Some((STEP, &b"abc"[..])), &b""[..]));
    }
}
