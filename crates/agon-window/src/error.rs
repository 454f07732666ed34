//! Why there is no window.

use std::io;

use agon_parts::PartError;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::dialogue::PART;

/// What keeps the host from opening a window, or showing something in it.
#[derive(Clone, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
pub enum Problem {
    /// There is no screen to open it on.
    #[error("there is no display: DISPLAY and WAYLAND_DISPLAY are not set")]
    NoDisplay,
    /// There is one that the host was not built for.
    #[error(
        "the display is one of Wayland (DISPLAY is not set), for which `{0}` was not built: `cargo build --release \
         -p {0} --features wayland` in Agon's source does that",
        PART.program
    )]
    NoWayland,
    /// A library that windows need is not installed.
    #[error(
        "a library for windows is missing ({0}); on Debian: apt-get install libx11-6 libx11-xcb1 libxcursor1 libxi6 \
         libxkbcommon-x11-0"
    )]
    Library(String),
    /// The display refuses.
    #[error("the window cannot be opened: {0}")]
    Refused(String),
}

/// Why there is no window, or no more.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WindowError {
    /// The display cannot be used.
    #[error(transparent)]
    Display(#[from] Problem),
    /// The program that opens windows cannot be used.
    #[error(transparent)]
    Part(#[from] PartError),
    /// It has ended, or says what makes no sense.
    #[error("the window is lost: `{program}` {0}", program = PART.program)]
    Lost(String),
    /// This program may start no thread for it.
    #[error("the window cannot be opened: {0}")]
    Thread(io::Error),
}
