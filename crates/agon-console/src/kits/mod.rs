//! Starter kits: the files of a new bot in each language, compiled in from `starter-kits`.
//!
//! `agon new` begins a bot from a kit, and `agon doctor` shows which languages are ready to use.
//!
//! | module | contents |
//! | --- | --- |
//! | `kit` | [`Kit`]: a kit and its files for a game; [`opponent`]: a bot that is easy to beat |
//! | `manifest` | [`Manifest`]: `kit.toml`, the kit's needs and the commands for its bot |
//! | `languages` | [`languages()`]: the languages, and whether this machine has their tools |
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
