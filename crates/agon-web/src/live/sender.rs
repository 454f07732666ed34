//! The arena's side of a live match: makes the messages for its start and for each step.
//!
//! `agon-show` calls it while a match is played that pages follow. `agon-web-host` passes the
//! messages on to the pages.

use crate::page::message::{BEGIN, STEP, message};
use agon_core::{BotInfo, Codec, Game, codec::put_varint};
use agon_replay::{WriteError, Writer};

/// Makes the message for the start of a match in the current state of `game`.
///
/// It comes after `steps_before` steps that are not sent.
///
/// # Errors
/// If its rules or position cannot be written as text.
pub fn begin<G: Game>(
    game: &G,
    players: &[BotInfo],
    steps_before: u64,
) -> Result<Vec<u8>, WriteError> {
    let mut replay = Vec::new();
    Writer::continuing(&mut replay, game, players, steps_before)?;
    Ok(message(BEGIN, &replay))
}

/// Makes the message that `answers` have led to `after`.
pub fn step<G: Game>(answers: &[G::Answer], after: &G) -> Vec<u8> {
    let mut contents = Vec::new();
    put_varint(&mut contents, answers.len() as u64);
    answers.iter().for_each(|answer| answer.encode(&mut contents));
    contents.extend_from_slice(&after.state_hash().to_le_bytes());
    message(STEP, &contents)
}
