//! At which steps turns begin.

use std::collections::BTreeMap;

use agon_core::Game;

use crate::{StateError, StateSource};

/// The first steps of the turns that have been come across.
#[derive(Clone, Debug)]
pub(super) struct Turns {
    first_steps: BTreeMap<u64, u64>,
}

impl Turns {
    /// Only the first turn is known, which begins with the match.
    pub(super) fn beginning_with(turn: u64) -> Turns {
        Turns { first_steps: BTreeMap::from([(turn, 0)]) }
    }

    /// Turn `turn` begins with step `step`.
    pub(super) fn note(&mut self, turn: u64, step: u64) {
        self.first_steps.insert(turn, step);
    }

    /// Returns the first step of the turn of the source's current state. The source may then be at
    /// another step of that turn.
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
                    // The match has begun anew in between.
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

    /// Steps that most likely lie behind the beginning of the turn that `step` is in: as many as
    /// turns had so far, and one more.
    fn guess(&self, turn: u64, step: u64) -> u64 {
        let first = self.first_steps.first_key_value().map_or(0, |(&turn, _)| turn);
        step / (turn.saturating_sub(first) + 1) + 1
    }
}
