//! Finds the question that a bot was asked about the unit at a place, and its answer.
//!
//! The inspector shows both, and searches the whole turn for them.

use agon_core::Decision;
use agon_games::{
    jsonl::JsonGame,
    scene::{Place, Render},
};
use serde_json::Value;

use crate::{Playback, StateError, StateSource};

/// A bot's question about a unit, with the answer.
#[derive(Clone, Debug)]
pub(super) struct Asked<A> {
    /// The step.
    pub(super) step: u64,
    /// The decision.
    pub(super) decision: Decision,
    /// The bot's view, in the JSON Lines protocol.
    pub(super) view: Value,
    /// The answer; `None` if it is not known yet.
    pub(super) answer: Option<A>,
}

/// Returns the decision about the unit at `place`.
///
/// It is the one of the shown state, or else the next one in this turn, or else the first one of
/// the turn. If a turn has many batches, each unit is asked in one of them.
///
/// # Errors
/// If the replay cannot be played up to there.
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

/// Plays until a unit at `place` is asked, at most to the end of the turn and to step `last`.
fn search<G: Render + JsonGame>(
    states: &mut dyn StateSource<G>,
    place: Place,
    turn: u64,
    last: u64,
) -> Result<Option<Asked<G::Answer>>, StateError> {
    while states.game().progress().turn == turn {
        // Even earlier it may be known that a unit will be asked in a later batch.
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
