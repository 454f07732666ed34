//! Verifies a replay: plays it again and compares everything. `agon replay verify` and the viewer
//! in a browser do this.

use std::{fmt, iter::Peekable, vec};

use agon_core::{Game, GameExt};

use crate::replay::{
    cursor::Cursor,
    ending::{End, Ending},
    error::{Difference, DifferenceKind, ReadError},
    replay::Replay,
    table::BlockRef,
};

/// The result of playing a replay again.
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
    /// Something does not follow.
    Unproven {
        /// Steps from the start that follow from the rules.
        good_steps: u64,
        /// Readable steps in the file.
        steps: u64,
        /// The problem.
        reason: ReadError,
    },
}

impl Verdict {
    /// Returns whether the replay is proven.
    pub fn is_proven(&self) -> bool {
        matches!(self, Verdict::Proven { .. })
    }
}

/// Returns a number with its noun.
fn counted(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Proven { steps, decisions, state_hash } => write!(
                f,
                "proven: {} with {} {} to the recorded result (state hash {state_hash:#018x})",
                counted(*steps, "step"),
                counted(*decisions, "answer"),
                if *steps == 1 { "leads" } else { "lead" }
            ),
            Verdict::Unproven { good_steps: 0, reason, .. } => write!(f, "not proven: {reason}"),
            Verdict::Unproven { good_steps, steps, reason } if good_steps < steps => write!(
                f,
                "not proven: {reason}; the first {good_steps} of {steps} steps follow the rules, \
                 nothing after them counts"
            ),
            Verdict::Unproven { good_steps: 1, reason, .. } => write!(
                f,
                "not proven: {reason}; the only step follows the rules, what comes after it does \
                 not count"
            ),
            Verdict::Unproven { good_steps, reason, .. } => {
                write!(
                    f,
                    "not proven: {reason}; all {good_steps} steps follow the rules, what comes \
                     after them does not count"
                )
            }
        }
    }
}

impl Replay {
    /// Plays the match again and compares every state, key frame and the result with the file.
    ///
    /// Faults and the diagnosis are the referee's observations. For them it can only check that
    /// they are readable.
    pub fn verify<G: Game>(&self) -> Verdict {
        let mut verifier = match self.verifier::<G>() {
            Ok(verifier) => verifier,
            Err(reason) => return Verdict::Unproven { good_steps: 0, steps: self.steps(), reason },
        };
        loop {
            match verifier.advance() {
                Ok(true) => {}
                Ok(false) => {
                    let steps = verifier.good_steps();
                    let state_hash = verifier.cursor.game().state_hash();
                    return Verdict::Proven { steps, decisions: self.decisions(), state_hash };
                }
                Err(reason) => {
                    let good_steps = verifier.good_steps();
                    return Verdict::Unproven { good_steps, steps: self.steps(), reason };
                }
            }
        }
    }

    /// Verifies as [`verify`](Replay::verify) does, but step by step, beside other work.
    ///
    /// # Errors
    /// As [`Replay::start`].
    pub fn verifier<G: Game>(&self) -> Result<Verifier<G>, ReadError> {
        let keys = self.keys().copied().collect::<Vec<_>>().into_iter().peekable();
        Ok(Verifier { replay: self.clone(), cursor: self.cursor()?, keys, good_steps: 0 })
    }
}

/// A replay while it is verified.
#[derive(Debug)]
pub struct Verifier<G: Game> {
    replay: Replay,
    cursor: Cursor<G>,
    /// Key frames that have not been verified yet.
    keys: Peekable<vec::IntoIter<BlockRef>>,
    good_steps: u64,
}

impl<G: Game> Verifier<G> {
    /// Returns the number of steps from the start that are known to follow the rules.
    pub fn good_steps(&self) -> u64 {
        self.good_steps
    }

    /// Verifies one more step. After the last one it returns `false`: the replay is proven.
    ///
    /// # Errors
    /// With the problem. Later calls have no meaning.
    pub fn advance(&mut self) -> Result<bool, ReadError> {
        let step = self.cursor.step();
        while let Some(key) = self.keys.next_if(|key| key.first == step) {
            if !self.replay.key_holds(&key, self.cursor.game())? {
                return Err(Difference { step, kind: DifferenceKind::KeyFrame }.into());
            }
        }
        self.good_steps = step;
        if self.cursor.advance()? {
            return Ok(true);
        }
        let replay = &self.replay;
        if let Some(what) =
            replay.result().and_then(|ending| wrong_in(ending, &self.cursor, replay.decisions()))
        {
            return Err(Difference { step, kind: DifferenceKind::Result(what) }.into());
        }
        replay.damage().map_or(Ok(()), Err)?;
        replay.faults()?;
        replay.diagnosis()?;
        Ok(false)
    }
}

/// Returns the part of a result that the last state contradicts.
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
