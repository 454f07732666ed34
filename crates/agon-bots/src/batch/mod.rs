//! Bots that answer whole batches in memory shared with a child process: native libraries and WebAssembly.
//!
//! Neither runs in the arena's own process. A child loads the bot, gets questions ([`agon_games::batch`]) through
//! shared memory, and is woken up through pipes, so that the arena can wait with a deadline and notices when the
//! child dies. The child's side is [`serve_main`] with a [`Decider`], what actually runs the bot.
//!
//! Messages are lines. The child begins with `ready`, or `error TEXT` if the bot cannot be loaded. `start LENGTH`
//! tells it that the match begins, with the uniform protocol's first message in the shared memory; there is no
//! answer. `decide NUMBER LENGTH ROOM RECORDS FUEL SEED` (see [`Call`]) asks, with the question in the shared
//! memory; the child answers `done NUMBER LENGTH`, or `trap NUMBER KIND TEXT` after which it is of no more use.

mod bot;
mod link;
mod memory;
mod serve;

pub use bot::RESTARTS;
pub(crate) use bot::{BatchBot, Child};
pub use memory::Area;
pub use serve::{Call, Decider, Trap, TrapKind, serve_main};
