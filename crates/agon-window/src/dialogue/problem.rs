//! The reasons why `agon-window-host` cannot show a window, with remedies.
//!
//! The host sends them to the arena, which prints them.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::dialogue::PART;

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
