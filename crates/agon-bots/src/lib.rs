//! Asks bots for answers.

mod bot;
pub mod clock;
mod process;

pub use bot::{Bot, Turn};
pub use clock::{Clock, Timing};
