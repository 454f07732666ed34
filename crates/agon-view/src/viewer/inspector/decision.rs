//! The decision of a turn that concerns a place.

use agon_core::Decision;
use agon_games::{
    jsonl::JsonGame,
    scene::{Place, Render},
};
use serde_json::Value;

use crate::{Playback, StateError, StateSource};

/// A bot was asked about a unit.
#[derive(Clone, Debug)]
pub(super) struct Asked<A> {
    /// In which step.
    pub(super) step: u64,
    /// For which unit.
    pub(super) decision: Decision,
    /// What it was shown, in the JSON Lines protocol.
    pub(super) view: Value,
    /// What it answered; `None` if that is not known yet.
    pub(super) answer: Option<A>,
}

/// The decision about the unit at `place`: of the state that is shown, otherwise the first one in
/// this turn from here on, otherwise the first one of the turn. Where a turn has many batches, each
/// unit is asked in one of them.
///
/// # Errors
/// If the replay cannot be played so far.
pub(super) fn asked_about<G: Render + JsonGame>(
    playback: &Playback<G>,
    place: Place,
) -> Result<Option<Asked<G::Answer>>, StateError> {
    let mut states = playback.states().fork();
    let turn = playback.turn();
    let here = playback.step();
    if let Some(asked) = search(&mut *states, place, turn, playback.steps())? {
        return Ok(Some(asked));
    }
    let first = playback.turn_start()?;
    if first == here {
        return Ok(None);
    }
    states.seek(first)?;
    search(&mut *states, place, turn, here)
}

/// Plays on until somebody is asked about `place`, to the end of the turn and not beyond step
/// `last`.
fn search<G: Render + JsonGame>(
    states: &mut dyn StateSource<G>,
    place: Place,
    turn: u64,
    last: u64,
) -> Result<Option<Asked<G::Answer>>, StateError> {
    while states.game().progress().turn == turn {
        // A unit may be known to be asked in a later batch of the turn.
        let now = |decision: &Decision| states.game().decisions().binary_search(decision).is_ok();
        if let Some(decision) = states.game().decision_at(place).filter(now) {
            return asked(states, decision).map(Some);
        }
        if states.step() >= last || !states.advance()? {
            break;
        }
    }
    Ok(None)
}

fn asked<G: Render + JsonGame>(
    states: &mut dyn StateSource<G>,
    decision: Decision,
) -> Result<Asked<G::Answer>, StateError> {
    let index = states.game().decisions().binary_search(&decision).ok();
    let answer = states.answers()?.and_then(|answers| answers.get(index?).cloned());
    let view =
        serde_json::to_value(G::observe(&states.game().view(decision))).unwrap_or(Value::Null);
    Ok(Asked { step: states.step(), decision, view, answer })
}
