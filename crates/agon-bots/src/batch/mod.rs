//! Bots that answer whole batches in memory shared with a child process: native libraries and
//! WebAssembly.
//!
//! Neither runs in the arena's own process. A child loads the bot, gets questions
//! ([`agon_games::batch`]) through shared memory, and is woken up through pipes, so that the arena
//! can wait with a deadline and notices when the child dies. The child's side is [`serve_main`]
//! with a [`Decider`], which runs the bot.
//!
//! Messages are lines. The child begins with `ready VERSION`, or `error VERSION TEXT` if the bot
//! cannot be loaded; [`VERSION`] tells whether child and arena fit together. `start LENGTH` tells
//! it that the match begins, with the JSON Lines protocol's first message in the shared memory;
//! there is no answer. `decide NUMBER LENGTH ROOM RECORDS FUEL SEED` (see [`Call`]) asks, with the
//! question in the shared memory; the child answers `done NUMBER LENGTH`, or
//! `trap NUMBER KIND TEXT` after which it is of no more use.

mod bot;
mod link;
mod memory;
mod serve;

pub use bot::RESTARTS;
pub(crate) use bot::{BatchBot, Child};
pub use memory::Area;
pub(crate) use memory::{ANSWER_ROOM, QUESTION_ROOM};
pub use serve::{Call, Decider, Trap, TrapKind, serve_main};

/// The version of what the arena and its child processes agree on: messages, shared memory,
/// arguments. Two programs of different versions of Agon never fit together; the number behind
/// counts changes within a version.
pub const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "-1");
