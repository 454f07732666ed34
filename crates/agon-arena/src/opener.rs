//! Opens the bots of a match.

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

/// Opens all bots in their hosts. A person needs an opener that knows the screen.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hosts;

impl<G: HostedGame> Opener<G> for Hosts {
    fn open(
        &mut self,
        _: usize,
        bot: &BotEntry,
        host: &HostOptions,
    ) -> Result<Box<dyn Bot<G>>, OpenError> {
        open_in(bot, host)
    }
}

/// Opens a bot in its host; one from a store starts in the folder of its files.
pub(crate) fn open_in<G: HostedGame>(
    bot: &BotEntry,
    host: &HostOptions,
) -> Result<Box<dyn Bot<G>>, OpenError> {
    match &bot.folder {
        None => agon_bots::open(&bot.spec, host),
        Some(folder) => {
            let folder = Some(folder.path().to_owned());
            agon_bots::open(&bot.spec, &HostOptions { folder, ..host.clone() })
        }
    }
}
