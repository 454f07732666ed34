//! Finds the step with which a turn starts.
//!
//! States are numbered by step, but people go back turn by turn. The playback and the inspector
//! therefore ask for the first step of a turn.

use std::collections::BTreeMap;

use agon_core::Game;

use crate::{StateError, StateSource};

/// The first steps of all turns seen so far.
#[derive(Clone, Debug)]
pub(super) struct Turns {
    first_steps: BTreeMap<u64, u64>,
}

impl Turns {
    /// Starts with just the first turn, which starts with the match.
    pub(super) fn beginning_with(turn: u64) -> Turns {
        Turns { first_steps: BTreeMap::from([(turn, 0)]) }
    }

    /// Notes that turn `turn` starts with step `step`.
    pub(super) fn note(&mut self, turn: u64, step: u64) {
        self.first_steps.insert(turn, step);
    }

    /// Returns the first step of the turn of the source's current state.
    ///
    /// The source may then be at another step of that turn.
    ///
    /// # Errors
    /// If the replay cannot be played.
    pub(super) fn first_step<G: Game>(
        &mut self,
        states: &mut dyn StateSource<G>,
    ) -> Result<u64, StateError> {
        let turn = states.game().progress().turn;
        let here = states.step();
        let mut back = self.guess(turn, here);
        loop {
            if let Some(&first) = self.first_steps.get(&turn) {
                return Ok(first);
            }
            states.seek(here.saturating_sub(back))?;
            let mut at = states.game().progress().turn;
            while at < turn {
                if !states.advance()? {
                    // The match has started again meanwhile.
                    return Err(StateError::NoSuchStep { step: here, steps: states.steps() });
                }
                let before = std::mem::replace(&mut at, states.game().progress().turn);
                if at != before {
                    self.note(at, states.step());
                }
            }
            back *= 2;
        }
    }

    /// Returns a number of steps that most likely leads back before the turn of `step`.
    ///
    /// It is one more than the mean length of the turns so far.
    fn guess(&self, turn: u64, step: u64) -> u64 {
        let first = self.first_steps.first_key_value().map_or(0, |(&turn, _)| turn);
        step / (turn.saturating_sub(first) + 1) + 1
    }
}

/// Returns the first of `steps` steps whose turn is `turn` or later; without one, the last step.
///
/// # Errors
/// If the replay cannot be played.
pub(super) fn step_of<G: Game>(
    turn: u64,
    steps: u64,
    states: &mut dyn StateSource<G>,
) -> Result<u64, StateError> {
    // Turns never go down from one step to the next.
    let mut from = 0;
    let mut to = steps;
    while from < to {
        let middle = from + (to - from) / 2;
        states.seek(middle)?;
        if states.game().progress().turn >= turn {
            to = middle;
        } else {
            from = middle + 1;
        }
    }
    Ok(to)
}
