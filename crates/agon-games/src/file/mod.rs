//! Games from files: their rules are a WebAssembly module, which runs in a process of its own.
//!
//! | module | noun |
//! | --- | --- |
//! | `archive` | [`Archive`]: the files of a game in one, and the digest that is its identity |
//! | `manifest` | [`Manifest`]: name, players, settings and presets, from `game.toml` |
//! | `message` | what the arena asks the module, and its replies, as bytes |
//! | `module` | [`Module`]: the module with what it says; each call of it may fail |
//! | `state` | [`FileGame`]: a position with what the module says about it, as a game of the kit |
//! | `record` | positions and views of modules in other languages than Rust: plain memory |
//! | `kind` | [`FileKind`]: the whole as a [`GameKind`](crate::any::GameKind) |
//! | `guest` | [`Guest`]: the other side, for modules written in Rust with the kit |
//!
//! A module keeps nothing: each request brings the position, and the reply brings the next one. So
//! copies of a match are bytes, and no module can change what has happened. All that a module says
//! is foreign: sizes are limited and numbers are checked. A module that fails makes a match void.

mod archive;
mod guest;
mod kind;
mod manifest;
pub mod message;
mod module;
mod record;
mod state;
mod tests;

pub use archive::{Archive, ArchiveError, MAX_CARRIED};
pub use guest::Guest;
pub use kind::FileKind;
pub use manifest::{Manifest, PresetOfFile, Setting};
pub use message::GAME_ABI;
pub use module::{Caller, Module};
pub use state::FileGame;

use manifest::{is_bad_text, is_identifier};

/// The kit for games in C.
pub const GAME_H: &str = include_str!("game.h");
