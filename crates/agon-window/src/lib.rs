//! A window around the viewer: inputs in, pictures out, nothing else.
//!
//! Needs no development packages to be built and no GPU: the libraries of X11 (feature `x11`) and Wayland (feature
//! `wayland`) are loaded when a window is opened.

mod display;
mod keys;
mod shell;

pub use display::{has_display, show};

use std::fmt;

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

impl WindowError {
    /// The display refuses for a reason. Where in its source the library found out is nobody's business.
    fn refused(error: impl fmt::Display) -> WindowError {
        let text = error.to_string();
        let reason = text.split_once(".rs:").and_then(|(_, rest)| rest.split_once(": "));
        WindowError::Refused(reason.map_or(text.clone(), |(_, reason)| reason.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_names_no_source_file() {
        let error = |text: &str| WindowError::refused(text).to_string();
        let text = "os error at /x/winit-0.30/src/linux/mod.rs:788: Failed to open connection to X server";
        assert_eq!(error(text), "the window cannot be opened: Failed to open connection to X server");
        assert_eq!(error("no"), "the window cannot be opened: no");
    }
}
