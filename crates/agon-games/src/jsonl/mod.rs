//! The JSON Lines protocol: how programs in any language play any game.
//!
//! [`message`] holds the lines of both directions; a game's `jsonl.rs` defines its part of them. A
//! batch is one line. The host in `agon-bots` speaks the protocol. `docs/protocol.md` is the page
//! for authors of bots; their tools read [`schema`].

pub mod conversation;
pub mod message;
mod schema;
pub(crate) mod text;

pub use schema::schema;

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
