//! Shows matches and replays: on which screen, with which people.
//!
//! The command line uses this crate for `agon play`, `agon watch`, `agon web` and `agon replay`.
//!
//! | module | contents |
//! | --- | --- |
//! | `play` | [`play()`]: plays a match on a screen; [`People`]: the people who play in it |
//! | `screen` | [`Screen`]: a window, the terminal, VNC clients; [`choose_screen`], [`show`] |
//! | `options` | [`ViewOptions`] and its parts; [`Environment`]: what the caller provides |
//! | [`web`] | the viewer in a browser |
//! | [`film`] | films of matches, and single pictures |
//! | [`chart`] | charts of replays |
//! | [`result_file`] | result files of the games' original programs; [`Folder`] |
//! | [`amoebas`] | pictures of amoebas as the original paints them |
//!
//! Errors are messages for people: they name the file or option and the remedy.

pub mod amoebas;
pub mod chart;
pub mod film;
mod options;
mod play;
pub mod result_file;
mod screen;
pub mod terminal;
pub mod vnc;
pub mod web;

pub use options::{
    AnotherMatch, Environment, PersonOptions, View, ViewOptions, VncOptions, WebOptions,
};
pub use play::{MatchToShow, People, play};
pub use result_file::Folder;
pub use screen::{Screen, choose_screen, has_display, show};
