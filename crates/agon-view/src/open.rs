//! Opens a viewer of a replay of any game, and compiles the viewer once for each game.
//!
//! For `agon watch` and for the page in a browser, which learn the game only from the file. Generic
//! code is compiled again in each crate that calls it; [`ViewedGame`] has the viewer's methods
//! behind a box made here, so that shells only link to them.

use agon_games::{GameId, for_each_game, human::HumanInput, jsonl::JsonGame, with_game};
use agon_match::replay::Replay;
use anyhow::Result;

use crate::{Notes, ReplayStates, TextApp, Viewer, paint::Appearance};

/// Opens a viewer of a replay.
/// Fails if the game of the replay or its rules are unknown here, or the replay is damaged at its
/// beginning. If it is damaged later, the viewer shows it up to the damage.
pub fn open(replay: &Replay, appearance: impl Into<Appearance>) -> Result<Box<dyn TextApp>> {
    let appearance = appearance.into();
    let id: GameId = replay.header().game.parse()?;
    with_game!(id, G => {
        let states = ReplayStates::<G>::new(replay)?;
        Ok(G::app(Viewer::new(states, notes(replay)).with_appearance(appearance)))
    })
}

/// Returns faults and warnings of a recorded match.
fn notes(replay: &Replay) -> Notes {
    let steps = replay.steps();
    let damage = replay.damage();
    let void = || Some(format!("this match is void: {}", replay.result()?.void?));
    let faults = replay.faults();
    let warning = match (damage, &faults) {
        (Some(damage), _) => Some(format!("the file is good up to step {steps} only: {damage}")),
        (None, Err(damage)) => Some(format!("the list of faults cannot be read: {damage}")),
        (None, Ok(_)) if replay.result().is_none() => {
            Some(format!("the file ends after step {steps}, before the match does"))
        }
        (None, Ok(_)) => void(),
    };
    // Damage there is damage of the file, which the warning tells.
    let diagnosis = replay.diagnosis().ok().flatten();
    let ending = replay.result().cloned();
    Notes { faults: faults.unwrap_or_default(), warning, diagnosis, ending }
}

/// A game of [`GameId`](agon_games::GameId), for generic code that shows matches.
pub trait ViewedGame: HumanInput + JsonGame {
    /// Returns a viewer as an app without its type.
    fn app(viewer: Viewer<Self>) -> Box<dyn TextApp>;
}

macro_rules! compile_here {
    ({} $($game:ident => pub mod $module:ident;)*) => {
        $(
            impl ViewedGame for agon_games::$module::$game {
                fn app(viewer: Viewer<Self>) -> Box<dyn TextApp> {
                    Box::new(viewer)
                }
            }
        )*
    };
}

for_each_game! { [compile_here] }
