//! Opens the bots of a match: turns each entry into a bot that can be asked.
//!
//! `agon play` and `agon check` have openers of their own, for people and for watched bots.

use agon_bots::{Bot, HostOptions, HostedGame, OpenError};

use crate::BotEntry;

/// Makes a bot that plays for each seat of a match, and again for each attempt.
pub trait Opener<G: HostedGame> {
    /// Opens the bot of a seat, counted from 0.
    ///
    /// # Errors
    /// If there is no such bot, or it cannot be loaded.
    fn open(
        &mut self,
        seat: usize,
        bot: &BotEntry,
        host: &HostOptions,
    ) -> Result<Box<dyn Bot<G>>, OpenError>;
}
