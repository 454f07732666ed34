//! The arena's end: messages of a match.

use agon_core::{BotInfo, Game, Wire, wire::put_varint};
use agon_replay::{WriteError, Writer};

use super::{BEGIN, CLOSED, END, HEAD, QUESTION, Question, STEP};

/// The message that a match begins as `game` is now, after `steps_before` steps that are not told.
///
/// # Errors
/// If its rules or position cannot be written as text.
pub fn begin<G: Game>(game: &G, players: &[BotInfo], steps_before: u64) -> Result<Vec<u8>, WriteError> {
    let mut replay = Vec::new();
    Writer::continuing(&mut replay, game, players, steps_before)?;
    Ok(message(BEGIN, &replay))
}

/// The message that `answers` have led to `after`.
pub fn step<G: Game>(answers: &[G::Answer], after: &G) -> Vec<u8> {
    let mut contents = Vec::new();
    put_varint(&mut contents, answers.len() as u64);
    answers.iter().for_each(|answer| answer.encode(&mut contents));
    contents.extend_from_slice(&after.state_hash().to_le_bytes());
    message(STEP, &contents)
}

/// The message that the match is over.
pub fn end() -> Vec<u8> {
    message(END, &[])
}

/// The message that a person is asked.
pub fn question(question: &Question) -> Vec<u8> {
    message(QUESTION, &serde_json::to_vec(question).expect("numbers can be written as JSON"))
}

/// The message that nobody is asked any more.
pub fn closed() -> Vec<u8> {
    message(CLOSED, &[])
}

fn message(kind: u8, contents: &[u8]) -> Vec<u8> {
    let length = u32::try_from(contents.len()).expect("a step's answers take less than 4 GiB");
    let mut bytes = Vec::with_capacity(HEAD + contents.len());
    bytes.push(kind);
    bytes.extend_from_slice(&length.to_le_bytes());
    bytes.extend_from_slice(contents);
    bytes
}
