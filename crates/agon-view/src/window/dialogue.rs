//! The dialogue between the arena and `agon-window-host`.
//!
//! The host sends [`Report::Ready`] when it has started. [`Order::Open`] opens the window, and the
//! host reports its size. From then on it reports inputs, and the arena sends pictures. The arena
//! sends the next picture when the last one is [`Report::Shown`], so that pictures do not pile up
//! before a slow display. The host ends when its standard input ends.

use agon_files::parts::Part;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::INPUT_SOURCE;

pub use crate::{Button, Input, Key};

/// The program that opens windows, by which the arena finds or builds it.
pub const PART: Part = Part {
    program: "agon-window-host",
    package: "agon-window-host",
    variable: "AGON_WINDOW_HOST",
    who: "windows",
};

/// The version of this dialogue that both sides were built with.
pub const DIALOGUE: u64 = agon_files::parts::dialogue(&[include_str!("dialogue.rs"), INPUT_SOURCE]);

/// A message from the arena to the host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Order {
    /// Open the window. Comes once, as the first order.
    Open {
        /// Its title.
        title: String,
    },
    /// Show a picture. Its pixels are the bytes of the message.
    ///
    /// They are red, green, blue and 255, row by row from the top.
    Show {
        /// Pixels in a row.
        width: u32,
        /// Rows.
        height: u32,
    },
}

/// A message from the host to the arena.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Report {
    /// The environment names a display.
    Ready,
    /// The window has this many pixels, or none if it is minimised.
    ///
    /// The next picture should have this size.
    Size {
        /// Pixels in a row.
        width: u32,
        /// Rows.
        height: u32,
    },
    /// The person has made an input.
    Input(Input),
    /// The last picture is visible.
    Shown,
    /// There is no window, and there will be none.
    Failed(Problem),
}

/// The reason why the host cannot open a window, or show something in it.
#[derive(Clone, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
pub enum Problem {
    /// There is no screen to open it on.
    #[error("there is no display: DISPLAY and WAYLAND_DISPLAY are not set")]
    NoDisplay,
    /// There is one that the host was not built for.
    #[error(
        "the display is one of Wayland (DISPLAY is not set), for which `{0}` was not built: `cargo \
         build --release -p {0} --features wayland` in Agon's source does that",
        PART.program
    )]
    NoWayland,
    /// A library that windows need is not installed.
    #[error(
        "a library for windows is missing ({0}); on Debian: apt-get install libx11-6 libx11-xcb1 \
         libxcursor1 libxi6 libxkbcommon-x11-0"
    )]
    Library(String),
    /// The display refuses.
    #[error("the window cannot be opened: {0}")]
    Refused(String),
}
