//! Starter kits: the files of a new bot in each language, compiled in from `starter-kits`.
//!
//! `agon new` begins a bot from a kit, and `agon doctor` shows which languages are ready to use.
//!
//! | module | contents |
//! | --- | --- |
//! | `kit` | [`Kit`]: a kit and its files for a game; [`opponent`]: a bot that is easy to beat |
//! | `manifest` | [`Manifest`]: `kit.toml`, what a kit needs and how its bot is built and played |
//! | `languages` | [`languages()`]: which languages bots can be written in on this machine |
//! | `folder` | [`create_folder`]: a new folder with files, or nothing |
//!
//! Errors are messages for people: they name the word or folder and the remedy.

mod folder;
mod kit;
mod languages;
mod manifest;

pub use folder::create_folder;
pub use kit::{Kit, opponent};
pub use languages::{Language, Program, languages};
pub use manifest::Manifest;
