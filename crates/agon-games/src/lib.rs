//! The games of Agon, a folder each.
//!
//! A folder holds the rules (`rules.rs`: settings; `mod.rs` and its neighbours: the state and what
//! happens in a turn), the page that `agon rules` shows (`page.md`), the wire format of the game's
//! own protocol, and its built-in bots. [`GameId`] is the closed set of games; [`with_game!`] turns
//! one into its type.

pub mod amoebas;
pub mod batch;
pub mod binfection;
pub mod cellhack;
pub mod cluster;
pub mod generated;
pub mod hand;
pub mod rezzo;
pub mod scene;
pub mod settings;
pub mod uniform;

mod id;
mod lineup;
mod listed;

pub use id::{GameId, UnknownGame};
pub use lineup::Lineup;
