//! A window around the viewer: inputs in, pictures out, nothing else.
//!
//! Needs no development packages to be built and no GPU: the libraries of X11 (feature `x11`) and Wayland (feature
//! `wayland`) are loaded when a window is opened.

mod display;
mod keys;
mod shell;

pub use display::{has_display, show};

use thiserror::Error;

/// Why there is no window.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WindowError {
    /// There is no screen to open it on.
    #[error("there is no display: DISPLAY and WAYLAND_DISPLAY are not set")]
    NoDisplay,
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
