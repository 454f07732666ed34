//! Opens bots in their hosts: for each match of the pool, and once before the first one.

use agon_bots::{Bot, HostOptions, OpenError};
use agon_games::{GameId, with_game};

use crate::{ArenaError, ArenaGame, BotEntry, Opener};

/// Opens all bots in their hosts. People need an opener that knows the screen.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hosts;

impl<G: ArenaGame> Opener<G> for Hosts {
    fn open(
        &mut self,
        _: usize,
        bot: &BotEntry,
        host: &HostOptions,
    ) -> Result<Box<dyn Bot<G>>, OpenError> {
        open_in(bot, host)
    }
}

/// Opens each bot once, and compiles it if it is source code. So a bot that cannot play is found
/// before the first match.
///
/// # Errors
/// One for each bot that cannot be opened.
pub fn try_open<'a>(
    game: GameId,
    bots: impl IntoIterator<Item = &'a BotEntry>,
    host: &HostOptions,
) -> Result<(), Vec<ArenaError>> {
    let fails = bots.into_iter().filter_map(|bot| {
        let source = with_game!(game, G => open_in::<G>(bot, host).err())?;
        Some(ArenaError::Open { name: bot.info.name.clone(), source })
    });
    let fails: Vec<ArenaError> = fails.collect();
    if fails.is_empty() { Ok(()) } else { Err(fails) }
}

/// Opens a bot in its host; one from a store starts in the folder of its files.
pub(crate) fn open_in<G: ArenaGame>(
    bot: &BotEntry,
    host: &HostOptions,
) -> Result<Box<dyn Bot<G>>, OpenError> {
    let own = host.of_bot(&bot.info.name);
    let host = own.as_ref().unwrap_or(host);
    match &bot.folder {
        None => G::open_bot(&bot.spec, host),
        Some(folder) => {
            let folder = Some(folder.path());
            G::open_bot(&bot.spec, &HostOptions { folder, ..host.clone() })
        }
    }
}
