//! Proving a replay: playing it again and comparing everything.

use std::fmt;

use agon_core::{Game, GameExt};

use crate::{
    cursor::Cursor,
    ending::{End, Ending},
    error::{Difference, DifferenceKind, ReadError},
    replay::Replay,
};

/// What playing a replay again showed.
#[derive(Debug)]
pub enum Verdict {
    /// Every state, every key frame and the result follow from rules, seed and answers.
    Proven {
        /// Steps played.
        steps: u64,
        /// Answers given.
        decisions: u64,
        /// The hash of the last state.
        state_hash: u64,
    },
    /// Something does not.
    Unproven {
        /// Steps from the start that do follow.
        good_steps: u64,
        /// Steps in the file, as far as it can be read.
        steps: u64,
        /// What is wrong.
        reason: ReadError,
    },
}

impl Verdict {
    /// Whether the replay is proven.
    pub fn is_proven(&self) -> bool {
        matches!(self, Verdict::Proven { .. })
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Proven { steps, decisions, state_hash } => write!(
                f,
                "proven: {steps} steps with {decisions} answers lead to the recorded result (state hash {state_hash:#018x})"
            ),
            Verdict::Unproven { good_steps: 0, reason, .. } => write!(f, "not proven: {reason}"),
            Verdict::Unproven { good_steps, steps, reason } if good_steps < steps => write!(
                f,
                "not proven: {reason}; the first {good_steps} of {steps} steps follow the rules, nothing after them counts"
            ),
            Verdict::Unproven { good_steps, reason, .. } => {
                write!(
                    f,
                    "not proven: {reason}; all {good_steps} steps follow the rules, what comes after them does not count"
                )
            }
        }
    }
}

impl Replay {
    /// Plays the match again and compares every state, key frame and the result with the file.
    ///
    /// Faults and the diagnosis are the referee's observation: that they are readable is all that can be checked.
    pub fn verify<G: Game>(&self) -> Verdict {
        let mut good_steps = 0;
        match self.replayed::<G>(&mut good_steps) {
            Ok(state_hash) => Verdict::Proven { steps: good_steps, decisions: self.decisions(), state_hash },
            Err(reason) => Verdict::Unproven { good_steps, steps: self.steps(), reason },
        }
    }

    fn replayed<G: Game>(&self, good_steps: &mut u64) -> Result<u64, ReadError> {
        let mut cursor = self.cursor::<G>()?;
        let mut keys = self.keys().peekable();
        loop {
            while let Some(key) = keys.next_if(|key| key.first == cursor.step()) {
                if self.key_frame::<G>(key)? != *cursor.game() {
                    return Err(Difference { step: key.first, kind: DifferenceKind::KeyFrame }.into());
                }
            }
            *good_steps = cursor.step();
            if !cursor.advance()? {
                break;
            }
        }
        if let Some(what) = self.result().and_then(|ending| wrong_in(ending, &cursor, self.decisions())) {
            return Err(Difference { step: cursor.step(), kind: DifferenceKind::Result(what) }.into());
        }
        self.damage().map_or(Ok(()), Err)?;
        self.faults()?;
        self.diagnosis()?;
        Ok(cursor.game().state_hash())
    }
}

/// What of a result the last state contradicts.
fn wrong_in<G: Game>(ending: &Ending, last: &Cursor<G>, decisions: u64) -> Option<&'static str> {
    let game = last.game();
    let checks = [
        (ending.steps == last.step(), "number of steps"),
        (ending.decisions == decisions, "number of answers"),
        (ending.turns == game.progress().turn, "number of turns"),
        (ending.state_hash == game.state_hash(), "state hash"),
        (ending.standing == game.standing(), "standing"),
        ((ending.end == End::Over) == game.is_over(), "reason for the end"),
    ];
    checks.into_iter().find(|(fine, _)| !fine).map(|(_, what)| what)
}
