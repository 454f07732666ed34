//! Compiles the viewer once for each game.
//!
//! Generic code is compiled again in each crate that calls it. [`ViewedGame`] has the viewer's
//! methods behind a box made here, so that shells only link to them.

use agon_games::{for_each_game, human::HumanInput, jsonl::JsonGame};

use crate::{App, Viewer};

/// A game of [`GameId`](agon_games::GameId), for generic code that shows matches.
pub trait ViewedGame: HumanInput + JsonGame {
    /// Returns a viewer as an app without its type.
    fn app(viewer: Viewer<Self>) -> Box<dyn App>;
}

macro_rules! compile_here {
    ({} $($game:ident => pub mod $module:ident;)*) => {
        $(
            impl ViewedGame for agon_games::$module::$game {
                fn app(viewer: Viewer<Self>) -> Box<dyn App> {
                    Box::new(viewer)
                }
            }
        )*
    };
}

for_each_game! { [compile_here] }
