//! Asks bots for answers.

mod bot;

pub use bot::{Bot, Turn};
