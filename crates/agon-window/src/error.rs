//! The reasons why a window cannot be opened, or is lost.
//!
//! `agon-show` prints them, or shows the match in the terminal instead.

use std::io;

use crate::dialogue::{PART, Problem};
use agon_parts::PartError;
use thiserror::Error;

/// The reason why there is no window, or no longer.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WindowError {
    /// The display cannot be used.
    #[error(transparent)]
    Display(#[from] Problem),
    /// The program that opens windows cannot be used.
    #[error(transparent)]
    Part(#[from] PartError),
    /// It has ended, or its messages make no sense.
    #[error("the window is lost: `{program}` {0}", program = PART.program)]
    Lost(String),
    /// No thread can be started for it.
    #[error("the window cannot be opened: {0}")]
    Thread(io::Error),
}
