//! Plays comparisons, tunings, tournaments and examinations of bots, without showing them.
//!
//! `agon compare`, `agon tune`, `agon tournament` and `agon check` are built on it. They parse the
//! command line, show the progress and print the result.
//!
//! | module | contents |
//! | --- | --- |
//! | [`check`] | an examination of one bot |
//! | [`compare`] | whether a new version is better than an old one |
//! | [`tune`] | good values of a bot's parameters |
//! | [`tournament`] | a tournament in its folder |
//! | [`series`] | many matches of one game under the same conditions |
//! | [`events`] | the lines that `agon --json` prints |
//! | [`settings`] | a game's settings from `--rules` and `--set` |
//! | `journal` | the results of a comparison or tuning, as a file that survives a kill at any moment |
//!
//! Errors are messages for people: they name the file or option and the remedy.

pub mod check;
pub mod compare;
pub mod events;
mod journal;
pub mod series;
pub mod settings;
pub mod tournament;
pub mod tune;

pub use agon_arena::{Notice, Tell};
