//! Shows matches and replays: on which screen, with which people.
//!
//! The command line uses this crate for `agon play`, `agon watch`, `agon web` and `agon replay`.
//!
//! | module | contents |
//! | --- | --- |
//! | `play` | [`play()`]: plays a match on a screen |
//! | `screen` | [`Screen`]: a window, the terminal, VNC clients; [`choose_screen`], [`show`] |
//! | `people` | [`People`]: the people who play in a match |
//! | `shown_game` | [`ShownGame`]: compiles what shows a match once for each game |
//! | `options` | [`ViewOptions`] and its parts: where and how a match is shown |
//! | `another_match` | [`AnotherMatch`]: the wish for a rematch |
//! | `environment` | [`Environment`]: messages and interrupts of the calling program |
//! | `observers` | observers that pass a match to a viewer, and slow it down |
//! | `vnc` | a server for VNC clients |
//! | [`web`] | the viewer in a browser |
//! | [`film`] | films of matches |
//! | [`chart`] | charts of replays |
//! | `folder` | [`Folder`]: a folder for result files, which a Clojure file may name |
//! | [`result_file`] | result files of the games' original programs |
//! | [`amoebas`] | pictures of amoebas as the original paints them |
//!
//! Errors are messages for people: they name the file or option and the remedy.

pub mod amoebas;
mod another_match;
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
mod shown_game;
pub mod terminal;
mod vnc;
pub mod web;

pub use another_match::AnotherMatch;
pub use environment::{Environment, Interrupts};
pub use folder::Folder;
pub use options::{PersonOptions, View, ViewOptions, VncOptions, WebOptions};
pub use people::People;
pub use play::{MatchToShow, Run};
pub use screen::{Screen, choose_screen, has_display, show};
pub use shown_game::{ShownGame, play};
