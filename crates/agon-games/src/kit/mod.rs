//! The kit: makes a whole game from little code, its rules, answers and position. Authors of new
//! games start with it.
//!
//! A [`SmallGame`] is the state of a match with the rules as methods. [`Kit`] makes a game of it
//! and adds all the rest:
//!
//! | what | default |
//! | --- | --- |
//! | questions of the JSON Lines protocol | the allowed answers and [`SmallGame::View`] |
//! | replies of that protocol | the JSON of an answer |
//! | answers in replays | postcard, see [`postcard_codec!`](crate::postcard_codec) |
//! | native libraries and WebAssembly | the numbers of the allowed answers, the view as JSON |
//! | pictures | the [`Grid`] of the game; without one the players |
//! | what a person who plays sees | the same [`SmallGame::View`] as a bot, in words |
//! | play of a person | a choice among the allowed answers: keys, or a list with search |
//! | built-in bots | `random` |
//! | settings for demonstrations and fuzz tests | the usual ones |
//!
//! `docs/your-game.md` builds a game step by step. A game that outgrows the kit implements
//! [`Game`](agon_core::Game) and its companions itself.

mod batch;
mod game;
mod human;
pub(crate) mod sample;
mod scene;
mod small_game;

pub use batch::{KitAnswer, KitQuestion, Observation};
pub use game::{Kit, View, decode_postcard, encode_postcard, random_bot};
pub use human::Orders;
pub use small_game::{Grid, SmallGame};
