//! Live matches on their way from the arena to a page, as a stream of messages.
//!
//! `sender` is the arena's side, `receiver` the page's. [Messages](crate::message) have a
//! kind and contents. A person's actions on a question go back as JSON: [`Orders`].

#![warn(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap,
    clippy::cast_lossless,
    reason = "messages are foreign bytes, whose numbers must not change unnoticed"
)]

#[cfg(feature = "viewer")]
mod receiver;

use agon_core::{BotInfo, codec::put_varint};
use agon_games::any::{AnyAnswers, AnyGame, shown};
use agon_games::human::{Gesture, Hints};
use agon_match::replay::{WriteError, Writer};
use serde::{Deserialize, Serialize};

use crate::message::{BEGIN, HINTS, SHOWN, SHOWN_STEP, STEP, message};

pub use crate::message::{Question, closed, end, question};

#[cfg(feature = "viewer")]
pub(crate) use receiver::{LiveMatch, Receiver};

/// A person's gestures on a question, from the first one on; the last one gives the orders.
///
/// They are gestures and not answers, so that the arena composes the orders as a window does. So
/// nobody can order anything that a person at a window could not. The orders also hold for later
/// batches of the same turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Orders {
    /// The number of the question in the match.
    pub question: u64,
    /// The person's gestures.
    pub acts: Vec<Gesture>,
}

/// Makes the message for the start of a match in the current state of `game`.
///
/// It comes after `steps_before` steps that are not sent.
pub fn begin(
    game: &AnyGame,
    players: &[BotInfo],
    steps_before: u64,
) -> Result<Vec<u8>, WriteError> {
    let mut replay = Vec::new();
    Writer::continuing(&mut replay, game, players, steps_before)?;
    Ok(message(BEGIN, &replay))
}

/// Does the same for a game that pages do not know.
pub fn begin_shown(game: &AnyGame, players: &[BotInfo], steps_before: u64) -> Vec<u8> {
    message(SHOWN, &shown::begin(game, players, steps_before))
}

/// Makes the message that `answers` have led to `after`, in a game that pages do not know.
pub fn step_shown(answers: &AnyAnswers, after: &AnyGame, players: &[BotInfo]) -> Vec<u8> {
    message(SHOWN_STEP, &shown::step(answers, after, players))
}

/// Makes the message with what the screen shows for a person's gestures so far, in a game that
/// pages do not know.
pub fn hints(acts: &[Gesture], hints: &Hints) -> Vec<u8> {
    message(HINTS, &serde_json::to_vec(&(acts, hints)).expect("hints can be written as JSON"))
}

/// Makes the message that `answers` have led to `after`.
pub fn step(answers: &AnyAnswers, after: &AnyGame) -> Vec<u8> {
    let mut contents = Vec::new();
    put_varint(&mut contents, answers.len() as u64);
    answers.encode(&mut contents);
    contents.extend_from_slice(&after.state_hash().to_le_bytes());
    message(STEP, &contents)
}
