//! Compiles what shows a match once for each game.
//!
//! Generic code is compiled again in each crate that calls it. The implementations of [`ShownGame`]
//! are here, so that the command line only links to them.

use agon_arena::ArenaGame;
use agon_games::for_each_game;
use agon_match::{Observer, Played};
use agon_view::ViewedGame;
use anyhow::Result;

use crate::{Environment, MatchToShow, ViewOptions, play};

/// Plays a match. Gets the match with the turn interval that people need, and an observer that sees
/// the match for the screen.
pub type Run<'a, G> =
    Box<dyn FnOnce(MatchToShow<G>, &mut (dyn Observer<G> + Send)) -> Result<Played<G>> + Send + 'a>;

/// A game of [`GameId`](agon_games::GameId), for generic code that puts matches on screens.
pub trait ShownGame: ArenaGame + ViewedGame {
    /// Does the work of [`play()`](crate::play()).
    ///
    /// # Errors
    /// As [`play()`](crate::play()).
    fn play_shown(
        shown: MatchToShow<Self>,
        options: &ViewOptions,
        environment: &Environment<'_>,
        observer: &mut (dyn Observer<Self> + Send),
        run: Run<'_, Self>,
    ) -> Result<Played<Self>>;
}

macro_rules! compile_here {
    ({} $($game:ident => pub mod $module:ident;)*) => {
        $(
            impl ShownGame for agon_games::$module::$game {
                fn play_shown(
                    shown: MatchToShow<Self>,
                    options: &ViewOptions,
                    environment: &Environment<'_>,
                    observer: &mut (dyn Observer<Self> + Send),
                    run: Run<'_, Self>,
                ) -> Result<Played<Self>> {
                    play::play_shown(shown, options, environment, observer, run)
                }
            }
        )*
    };
}

for_each_game! { [compile_here] }
