//! Native libraries and WebAssembly bots, which answer whole batches in shared memory.
//!
//! Neither runs in the arena's own process. A child loads the bot and gets questions
//! ([`agon_games::batch`]) through shared memory. Pipes wake it up, so the arena can wait with a
//! deadline and notices when the child dies. The child's side is [`serve_main`] with a [`Decider`],
//! which runs the bot.
//!
//! Messages are lines:
//! - The child starts with `ready VERSION`, or `error VERSION TEXT` if it cannot load the bot. The
//!   arena compares [`VERSION`] with its own.
//! - `start LENGTH` starts the match. The shared memory then has the first message of the JSON
//!   Lines protocol. There is no answer.
//! - `decide NUMBER LENGTH ROOM RECORDS FUEL SEED` (see [`Call`]) asks the question in the shared
//!   memory. The child answers `done NUMBER LENGTH`, or `trap NUMBER KIND TEXT`. After a trap the
//!   child cannot be used any more.

mod bot;
mod memory;
mod serve;

pub use bot::RESTARTS;
pub use memory::Area;
pub use serve::{Call, Decider, Trap, TrapKind, serve_main};

pub(crate) use bot::{BatchBot, Child, behind, load_message, loaded, reply};
pub(crate) use memory::{ANSWER_ROOM, QUESTION_ROOM};

/// The version of messages, shared memory and arguments between arena and children.
///
/// Programs from different versions of Agon never fit together. The number at the end counts
/// changes within one version.
pub const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "-1");
