//! The viewer in a terminal: boards as coloured blocks, or as letters without colours.
//!
//! `agon-show` runs it for `--view terminal`, and where there is no display for a window.
//!
//! | module | noun |
//! | --- | --- |
//! | `run` | the loop that passes inputs to the viewer and pictures to the terminal |
//! | `screen` | the terminal while it is taken, and how it is given back |
//! | `capabilities` | [`Capabilities`]: colours and characters that a terminal has |
//! | `draw` | everything on a buffer of characters |
//! | `letters` | boards as letters, and characters over boards |
//! | `panels` | what stands around the board |

mod capabilities;
mod draw;
mod letters;
mod panels;
mod run;
mod screen;

pub use capabilities::{Capabilities, Colors};
pub use draw::draw;
pub use run::{TerminalError, is_terminal, show};
pub use screen::HeldStderr;
