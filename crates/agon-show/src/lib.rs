//! Shows matches and replays: on which screen, with which people.
//!
//! The command line uses this crate for `agon play`, `agon watch`, `agon web` and `agon replay`.
//!
//! | module | contents |
//! | --- | --- |
//! | `play` | [`play()`]: plays a match on a screen |
//! | `screen` | [`Screen`]: a window, the terminal, VNC clients; [`choose_screen`], [`show`] |
//! | `people` | [`People`]: the people who play in a match |
//! | `options` | [`ViewOptions`] and its parts: what people ask for |
//! | `environment` | [`Environment`]: what the program lends that shows something |
//! | `observers` | what watches a match for a screen |
//! | `vnc` | a server for VNC clients |
//! | [`web`] | the viewer in a browser |
//! | [`film`] | films of matches |
//! | [`chart`] | charts of replays |
//! | `folder` | [`Folder`]: a folder for files that a bot's file names, below the current one |
//! | [`result_file`] | files that the games' own programs write |
//! | [`amoebas`] | pictures of amoebas as the original paints them |
//!
//! Errors are messages for people: they name the file or option and the remedy.

pub mod amoebas;
pub mod chart;
mod environment;
pub mod film;
mod folder;
mod observers;
mod options;
mod people;
mod play;
pub mod result_file;
mod screen;
mod vnc;
pub mod web;

pub use environment::{Environment, Interrupts};
pub use folder::Folder;
pub use options::{PersonOptions, View, ViewOptions, VncOptions, WebOptions};
pub use people::People;
pub use play::{MatchToShow, play};
pub use screen::{Screen, choose_screen, has_display, show};
