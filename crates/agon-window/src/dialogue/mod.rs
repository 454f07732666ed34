//! The dialogue between the arena and `agon-window-host`.
//!
//! The host sends [`Report::Ready`] when it has started. [`Order::Open`] opens the window, and the
//! host reports its size. From then on it reports inputs, and the arena sends pictures. The arena
//! sends the next picture when the last one is [`Report::Shown`], so that pictures do not pile up
//! before a slow display. The host ends when its standard input ends.

mod input;
mod part;
mod problem;

pub use input::{Button, Input, Key};
pub use part::PART;
pub use problem::Problem;

use serde::{Deserialize, Serialize};

/// The version of this dialogue that both sides were built with.
pub const DIALOGUE: u64 = agon_parts::dialogue(&[
    include_str!("mod.rs"),
    include_str!("input.rs"),
    include_str!("problem.rs"),
]);

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
