//! Shows matches and replays: on which screen, with which people.
//!
//! The command line uses this crate for `agon play`, `agon watch`, `agon web` and `agon replay`.
//!
//! | module | contents |
//! | --- | --- |
//! | `play` | [`play()`]: plays a match on a screen, with observers that pass it on and slow it down |
//! | `screen` | [`Screen`]: a window, the terminal, VNC clients; [`choose_screen`], [`show`] |
//! | `people` | [`People`]: the people who play in a match |
//! | `options` | [`ViewOptions`] and its parts: where and how a match is shown |
//! | `environment` | [`Environment`]: messages and interrupts of the calling program, and rematches |
//! | [`web`] | the viewer in a browser |
//! | [`film`] | films of matches |
//! | [`chart`] | charts of replays |
//! | `folder` | [`Folder`]: a folder for result files, which a Clojure file may name |
//! | [`result_file`] | result files of the games' original programs |
//! | [`amoebas`] | pictures of amoebas as the original paints them |
//!
//! Errors are messages for people: they name the file or option and the remedy.

pub mod amoebas;
pub mod chart;
pub mod encoding;
mod environment;
pub mod film;
mod folder;
mod options;
mod people;
mod play;
pub mod result_file;
mod screen;
pub mod terminal;
pub mod vnc;
pub mod web;

pub use environment::{AnotherMatch, Environment};
pub use folder::Folder;
pub use options::{PersonOptions, View, ViewOptions, VncOptions, WebOptions};
pub use people::People;
pub use play::{MatchToShow, ShownGame, play};
pub use screen::{Screen, choose_screen, has_display, show};
