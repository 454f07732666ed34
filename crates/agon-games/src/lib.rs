//! The games of Agon, a folder each.
//!
//! A folder holds the rules (`rules.rs`: settings; `mod.rs` and its neighbours: the state and what
//! happens in a turn), the page that `agon rules` shows (`page.md`), the wire format of the game's
//! own protocol, and its built-in bots. [`GameId`] is the closed set of games; [`with_game!`] turns
//! one into its type; [`any::AnyGame`] is a game of any kind behind one type.

pub mod amoebas;
pub mod any;
pub mod batch;
pub mod binfection;
pub mod cellhack;
pub mod cluster;
pub mod generated;
pub mod human;
pub mod jsonl;
pub mod rezzo;
pub mod scene;
pub mod settings;

mod builtin_bots;
mod id;
mod listed;

pub use builtin_bots::BuiltinBots;
pub use id::{GameId, UnknownGame};
