//! The viewer in a window: the arena's side, without a library for windows.
//!
//! The window belongs to `agon-window-host`, a separate program. Inputs come from it, and pictures
//! go to it, in messages of [`dialogue`]. The viewer runs and is painted here.
//! `agon-show` uses this crate for `--view window`.
//!
//! | module | what |
//! | --- | --- |
//! | [`dialogue`] | the messages between both |
//! | `host` | [`Host`]: the program, started before the match begins |
//! | `shell` | the viewer's clock, its inputs, its pictures |
//! | `post` | messages to and from the host, in separate threads |
//! | `input` | inputs of the window become inputs of the viewer |
//! | `error` | [`WindowError`]: why there is no window |

pub mod dialogue;
mod error;
mod host;
mod input;
mod post;
mod shell;

pub use error::WindowError;
pub use host::{Host, has_display};
