//! The uniform protocol: JSON Lines for programs in any language, the same for all games.
//!
//! [`message`] holds the lines of both directions; a game's `uniform.rs` says what its part of them looks like.
//! A batch is one line.

pub mod message;

use agon_core::{Game, Player};
use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};

/// The version of the protocol, which the first message tells.
pub const PROTOCOL: u32 = 1;

/// A game whose questions and answers have a form in JSON.
///
/// Observations are made from views alone, so they show nothing that a bot may not see.
pub trait Uniform: Game {
    /// What a bot is told once, besides the settings and the players' names; `()` for nothing.
    type Setup: Serialize + JsonSchema;
    /// What one decision sees.
    type Observation<'a>: Serialize + JsonSchema
    where
        Self: 'a;
    /// One answer as bots write it.
    type Reply: DeserializeOwned + JsonSchema;

    /// What `player` is told once.
    fn setup(&self, player: Player) -> Self::Setup;

    /// What a view shows.
    fn observe<'a>(view: &Self::View<'a>) -> Self::Observation<'a>
    where
        Self: 'a;

    /// The answer that a reply stands for.
    fn accept(reply: Self::Reply) -> Self::Answer;
}
