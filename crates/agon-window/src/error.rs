//! Errors of opening a window.

use std::io;

use agon_parts::PartError;
use agon_window_dialogue::{PART, Problem};
use thiserror::Error;

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
