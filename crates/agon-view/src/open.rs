//! Opens a viewer of a replay of any game, for `agon watch` and for the page in a browser, which
//! learn the game only from the file.

use agon_match::replay::Replay;
use anyhow::Result;

use crate::{Notes, ReplayStates, TextApp, Viewer, paint::Appearance};

/// Opens a viewer of a replay.
/// Fails if the game of the replay or its rules are unknown here, or the replay is damaged at its
/// beginning. If it is damaged later, the viewer shows it up to the damage.
pub fn open(replay: &Replay, appearance: impl Into<Appearance>) -> Result<Box<dyn TextApp>> {
    let appearance = appearance.into();
    let states = ReplayStates::new(replay, replay.game()?.kind())?;
    Ok(Box::new(Viewer::new(states, notes(replay)).with_appearance(appearance)))
}

/// Returns faults and warnings of a recorded match.
pub fn notes(replay: &Replay) -> Notes {
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
