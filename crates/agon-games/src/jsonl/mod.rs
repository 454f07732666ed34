//! The JSON Lines protocol: how programs in any language play any game.
//!
//! [`message`] holds the lines of both directions; a game's `jsonl.rs` defines its part of them. A
//! batch is one line. The host in `agon-bots` speaks the protocol. `docs/protocol.md` is the page
//! for authors of bots; their tools read [`schema`].

pub mod conversation;
pub mod message;

pub use message::schema;

use std::time::Duration;

use agon_core::{Game, Player};
use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};

/// The version of the protocol, which is in the first message. New fields do not raise it: bots
/// ignore unknown fields.
pub const PROTOCOL: u32 = 1;

/// Stands for "none" where observations have numbers: many languages read a null number as 0.
pub(crate) const NONE: i32 = -1;

/// The setup of a game that has nothing to tell: `{}`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Setup")]
pub struct NoSetup {}

/// A game whose questions and answers have a form in JSON.
///
/// Observations are made from views alone, so they show nothing that a bot may not see.
pub trait JsonGame: Game {
    /// Whether each observation has a list `legal` of all replies that are allowed, so that a bot
    /// can play without any other knowledge of the game.
    const LISTS_LEGAL: bool = false;

    /// The time of a program for its first answer, start included.
    const FIRST_ANSWER: Duration = Duration::from_secs(1);

    /// The time of a program for each later answer.
    const LATER_ANSWERS: Duration = Duration::from_millis(100);

    /// The game's part of the first message, besides the settings and the players' names.
    type Setup: Serialize + JsonSchema;
    /// What one decision sees, as bots read it.
    type Observation<'a>: Serialize + JsonSchema
    where
        Self: 'a;
    /// One answer as bots write it; keys that it does not know are ignored.
    type Reply: Serialize + DeserializeOwned + JsonSchema;

    /// Returns the game's part of the first message to `player`.
    fn setup(&self, player: Player) -> Self::Setup;

    /// Returns what a view shows.
    fn observe<'a>(view: &Self::View<'a>) -> Self::Observation<'a>
    where
        Self: 'a;

    /// Appends the JSON of [`JsonGame::observe`]. Games with long or frequent observations write
    /// the text directly, because it is faster.
    fn write_observation<'a>(view: &Self::View<'a>, out: &mut Vec<u8>)
    where
        Self: 'a,
    {
        let observation = Self::observe(view);
        serde_json::to_writer(out, &observation)
            .expect("observations are numbers, strings, lists and objects");
    }

    /// Returns the answer that a reply stands for.
    fn answer_from(reply: Self::Reply) -> Self::Answer;

    /// Returns the reply that stands for an answer. `None` for answers that no bot can give in this
    /// protocol, such as faults.
    fn reply_for(answer: Self::Answer) -> Option<Self::Reply>;
}

/// Appends a number in decimal.
#[inline]
pub(crate) fn number(number: u64, out: &mut Vec<u8>) {
    if number < 10 {
        out.push(b'0' + number as u8);
    } else {
        out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
    }
}

/// Appends a list, each element written by `write`.
#[inline]
pub(crate) fn list<T>(
    items: impl IntoIterator<Item = T>,
    out: &mut Vec<u8>,
    mut write: impl FnMut(T, &mut Vec<u8>),
) {
    out.push(b'[');
    let start = out.len();
    for item in items {
        write(item, out);
        out.push(b',');
    }
    // Instead of the comma behind the last element.
    out.truncate(start.max(out.len() - 1));
    out.push(b']');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_numbers_are_those_of_any_writer() {
        for numbers in [vec![], vec![0], vec![7, 10, 99, 100, 1_000_000_000_000, u64::MAX]] {
            let mut out = Vec::new();
            list(numbers.iter().copied(), &mut out, number);
            assert_eq!(out, serde_json::to_vec(&numbers).unwrap());
        }
    }
}
