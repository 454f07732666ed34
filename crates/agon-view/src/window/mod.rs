//! The viewer in a window: the arena's side, without a library for windows.
//!
//! The window belongs to `agon-window-host`, a separate program. Inputs come from it, and pictures
//! go to it, in messages of [`dialogue`]. The viewer runs and is painted here.
//! `agon-show` uses this crate for `--view window`.

pub mod dialogue;
mod host;

pub use host::{Host, WindowError, has_display};
