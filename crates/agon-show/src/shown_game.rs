//! Compiles what shows a match once for each game.
//!
//! Generic code is compiled again in each crate that calls it. The implementations of [`ShownGame`]
//! are here, so that the command line only links to them.

use agon_arena::ArenaGame;
use agon_games::for_each_game;
use agon_match::{Observer, Played};
use agon_view::ViewedGame;
use anyhow::Result;

use crate::{
    Environment, MatchToShow, ViewOptions,
    play::{self, Run},
};

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

/// Plays a match by `run`, on a screen if one is asked for or a person plays.
///
/// `run` gets the match with the turn interval that people need, and an observer that passes
/// everything on to `observer`. On a screen, `run` is called in a thread of its own. A person who
/// leaves before the end interrupts the match.
///
/// # Errors
/// As `run`, and if there is no such screen.
pub fn play<G: ShownGame>(
    shown: MatchToShow<G>,
    options: &ViewOptions,
    environment: &Environment<'_>,
    observer: &mut (dyn Observer<G> + Send),
    run: Run<'_, G>,
) -> Result<Played<G>> {
    G::play_shown(shown, options, environment, observer, run)
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
