//! Compiles what plays a match once for each game.
//!
//! Generic code is compiled again in each crate that calls it. [`ArenaGame`] has a method for each
//! large piece, and its implementations are here, so that callers only link to them.

use std::sync::atomic::AtomicBool;

use agon_bots::{Bot, BotSpec, HostOptions, HostedGame, OpenError};
use agon_games::for_each_game;
use agon_match::{Match, Observer, Played};

use crate::{ArenaError, MatchSetup, Opener, PlayedMatch, ReplayTarget, play};

/// A game of [`GameId`](agon_games::GameId), for generic code that plays matches.
pub trait ArenaGame: HostedGame {
    /// Opens a bot in its host, as [`agon_bots::open`] does.
    ///
    /// # Errors
    /// As [`agon_bots::open`].
    fn open_bot(spec: &BotSpec, host: &HostOptions) -> Result<Box<dyn Bot<Self>>, OpenError>;

    /// Does the work of [`MatchSetup::play`].
    ///
    /// # Errors
    /// As [`MatchSetup::play`].
    fn play_setup(
        setup: &MatchSetup<'_, Self>,
        opener: &mut dyn Opener<Self>,
        observer: &mut dyn Observer<Self>,
    ) -> Result<PlayedMatch<Self>, ArenaError>;

    /// Plays a match whose bots are open, until its end or until `stop` is set, and writes its
    /// replay. Returns the replay if it was to be kept in memory.
    ///
    /// # Errors
    /// If the replay cannot be written, the arena lacks something, or the observer fails.
    fn play_opened(
        the_match: Match<Self>,
        replay: &ReplayTarget,
        stop: &AtomicBool,
        observer: &mut dyn Observer<Self>,
    ) -> Result<(Played<Self>, Option<Vec<u8>>), ArenaError>;
}

impl<G: ArenaGame> MatchSetup<'_, G> {
    /// Plays the match, and again while it is void. Each attempt opens the bots again.
    ///
    /// # Errors
    /// If the rules do not allow the match, a bot cannot be opened, the replay cannot be written,
    /// the arena lacks something, or the observer fails.
    pub fn play(
        &self,
        opener: &mut dyn Opener<G>,
        observer: &mut dyn Observer<G>,
    ) -> Result<PlayedMatch<G>, ArenaError> {
        G::play_setup(self, opener, observer)
    }
}

macro_rules! compile_here {
    ({} $($game:ident => pub mod $module:ident;)*) => {
        $(
            impl ArenaGame for agon_games::$module::$game {
                fn open_bot(
                    spec: &BotSpec,
                    host: &HostOptions,
                ) -> Result<Box<dyn Bot<Self>>, OpenError> {
                    agon_bots::open(spec, host)
                }

                fn play_setup(
                    setup: &MatchSetup<'_, Self>,
                    opener: &mut dyn Opener<Self>,
                    observer: &mut dyn Observer<Self>,
                ) -> Result<PlayedMatch<Self>, ArenaError> {
                    play::play_setup(setup, opener, observer)
                }

                fn play_opened(
                    the_match: Match<Self>,
                    replay: &ReplayTarget,
                    stop: &AtomicBool,
                    observer: &mut dyn Observer<Self>,
                ) -> Result<(Played<Self>, Option<Vec<u8>>), ArenaError> {
                    play::play_match(the_match, replay, stop, None, observer)
                }
            }
        )*
    };
}

for_each_game! { [compile_here] }
