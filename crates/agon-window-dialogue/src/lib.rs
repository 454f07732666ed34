//! The dialogue of the arena and `agon-window-host`.
//!
//! The host sends [`Report::Ready`] when it has started. [`Order::Open`] opens the window, and the
//! host reports its size. From then on it reports inputs, and the arena orders pictures to be
//! shown. The arena sends the next picture when the last one is [`Report::Shown`], so that pictures
//! do not pile up before a slow display. The host ends when its standard input ends.
//!
//! Both sides are built with this crate, which is light: the host knows nothing of games and
//! viewers, the arena nothing of libraries for windows.

mod input;
mod problem;

pub use input::{Button, Input, Key};
pub use problem::Problem;

use agon_parts::Part;
use serde::{Deserialize, Serialize};

/// The program that opens windows.
pub const PART: Part = Part {
    program: "agon-window-host",
    package: "agon-window-host",
    variable: "AGON_WINDOW_HOST",
    who: "windows",
};

/// Which version of this dialogue both sides were built with.
pub const DIALOGUE: u64 = agon_parts::dialogue(&[
    include_str!("lib.rs"),
    include_str!("input.rs"),
    include_str!("problem.rs"),
]);

/// What the arena tells the host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Order {
    /// Open the window. To be told once, first.
    Open {
        /// What it is called.
        title: String,
    },
    /// Show a picture. Its pixels are the bytes of the message: red, green, blue and 255, row by
    /// row from the top.
    Show {
        /// Pixels in a row.
        width: u32,
        /// Rows.
        height: u32,
    },
}

/// What the host tells the arena.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Report {
    /// There is a display, as far as the environment tells.
    Ready,
    /// The window has so many pixels, none if it is minimised: the next picture is to be as large.
    Size {
        /// Pixels in a row.
        width: u32,
        /// Rows.
        height: u32,
    },
    /// The person has done something.
    Input(Input),
    /// The last picture is seen.
    Shown,
    /// There is no window, and there will be none.
    Failed(Problem),
}
