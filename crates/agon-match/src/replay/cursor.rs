//! Steps through the states of a replay, forwards or with jumps.
//!
//! The viewer, result files, replay sessions and the verification get their states from it.

use std::{fmt, iter::Peekable, vec};

use agon_games::any::{AnyAnswers, AnyGame, GameKind};

use crate::replay::blocks::{BlockRef, Steps};
use crate::replay::contents::{End, Ending};
use crate::replay::file::{Difference, DifferenceKind, ReadError, Replay};

/// The number of bad key frames after which a seek starts at the start: each may be large.
const MAX_BAD_KEYS: usize = 3;

/// One state of a replay and the answers given on it.
#[derive(Debug)]
pub struct ReplayState<'a> {
    /// Steps played before.
    pub step: u64,
    /// The state.
    pub game: &'a AnyGame,
    /// The answers given on it, one per decision; empty on the last state.
    pub given: &'a AnyAnswers,
}

/// A place in a replay: a state, from which you can step forward or jump.
///
/// ```no_run
/// # use agon_match::replay::{ReadError, Replay};
/// # fn show(replay: &Replay, game: agon_games::GameId) -> Result<(), ReadError> {
/// let mut cursor = replay.cursor(game.kind())?;
/// loop {
///     let frame = cursor.frame()?;
///     println!("step {}: {} answers", frame.step, frame.given.len());
///     if !cursor.advance()? {
///         break;
///     }
/// }
/// # Ok(())
/// # }
/// ```
///
/// Every state is checked against the hash in the file. After an error the cursor may be on a state
/// that does not match the file. Then only [`seek`](Cursor::seek) to an earlier step repairs it.
#[derive(Clone, Debug)]
pub struct Cursor {
    replay: Replay,
    game: AnyGame,
    step: u64,
    block: Option<Steps>,
    /// The answers on this state, once `answers_read`. Empty on the last state.
    answers: AnyAnswers,
    answers_read: bool,
    /// Whether steps may be played at once.
    leaps: bool,
}

impl Replay {
    /// Returns the state after `step` steps.
    pub fn seek(&self, kind: &'static dyn GameKind, step: u64) -> Result<AnyGame, ReadError> {
        let mut cursor = self.cursor_at(kind, step)?;
        cursor.seek(step)?;
        Ok(cursor.into_game())
    }

    /// Returns a cursor on the first state.
    pub fn cursor(&self, kind: &'static dyn GameKind) -> Result<Cursor, ReadError> {
        Ok(Cursor::new(self, self.start(kind)?, 0))
    }

    /// Returns a cursor on the nearest state before `step` that needs no playing.
    ///
    /// This is a key frame or the start. After a few bad key frames it is the start.
    pub fn cursor_at(&self, kind: &'static dyn GameKind, step: u64) -> Result<Cursor, ReadError> {
        // A bad key frame only costs time: an earlier one works as well.
        let keys = self.keys().rev().filter(|key| key.first <= step).take(MAX_BAD_KEYS);
        match keys.map(|key| (self.key_frame(kind, key), key.first)).find(|(game, _)| game.is_ok())
        {
            Some((game, first)) => Ok(Cursor::new(self, game?, first)),
            None => self.cursor(kind),
        }
    }
}

impl Cursor {
    pub(crate) fn new(replay: &Replay, game: AnyGame, step: u64) -> Cursor {
        let (answers, leaps) = (game.kind().no_answers(), game.kind().packed().is_some());
        let replay = replay.clone();
        Cursor { replay, game, step, block: None, answers, answers_read: false, leaps }
    }

    /// Returns the state.
    pub fn game(&self) -> &AnyGame {
        &self.game
    }

    /// Takes the state out of the cursor.
    pub fn into_game(self) -> AnyGame {
        self.game
    }

    /// Returns the number of steps before this state.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// Returns the state with the answers given on it.
    pub fn frame(&mut self) -> Result<ReplayState<'_>, ReadError> {
        self.load()?;
        Ok(ReplayState { step: self.step, game: &self.game, given: &self.answers })
    }

    /// Plays one step, and returns false if there was none.
    pub fn advance(&mut self) -> Result<bool, ReadError> {
        if self.step == self.replay.steps() {
            return Ok(false);
        }
        self.load()?;
        self.game.step(&self.answers);
        let step = self.step;
        self.step += 1;
        if let Some(block) = &self.block {
            block.check(self.game.state_hash()).map_err(|kind| Difference { step, kind })?;
            if block.is_done() {
                block.check_end().map_err(|problem| self.replay.damage_at(step, problem))?;
                self.block = None;
            }
        }
        self.answers.reset(0);
        self.answers_read = false;
        Ok(true)
    }

    /// Plays steps up to `until` at once, where the rules are in a process of their own.
    ///
    /// Returns false if it has played none, because nothing is gained or something does not fit.
    /// Then [`advance`](Cursor::advance) comes to it, and says what.
    fn leap(&mut self, until: u64) -> Result<bool, ReadError> {
        if !self.leaps || self.answers_read || self.step >= until {
            return Ok(false);
        }
        let start = match self.block.take() {
            Some(block) => block,
            None => self.replay.steps_block(self.step)?,
        };
        let mut block = start.clone();
        let mut answers = Vec::new();
        let mut game = self.game.clone();
        let kind = self.game.kind();
        let fits = block.take_ahead(until - self.step, kind, &mut answers)
            && kind
                .play_ahead(&mut game, &mut answers)
                .is_some_and(|hashes| start.check_ahead(&hashes))
            && !(block.is_done() && block.check_end().is_err());
        if !fits {
            (self.leaps, self.block) = (false, Some(start));
            return Ok(false);
        }
        self.game = game;
        self.step += answers.len() as u64;
        self.block = Some(block).filter(|block| !block.is_done());
        Ok(true)
    }

    /// Jumps to the state after `step` steps.
    ///
    /// It plays forwards from its own state, or from the nearest key frame before the step.
    ///
    /// # Errors
    /// If there is no such state, or it cannot be reached. The cursor is then at its old step or
    /// between the two.
    pub fn seek(&mut self, step: u64) -> Result<(), ReadError> {
        let steps = self.replay.steps();
        if step > steps {
            return Err(ReadError::NoSuchStep { step, steps });
        }
        let key_helps = self.replay.keys().any(|key| self.step < key.first && key.first <= step);
        if step < self.step || key_helps {
            *self = self.replay.cursor_at(self.game.kind(), step)?;
        }
        while self.step < step {
            self.advance()?;
        }
        Ok(())
    }

    /// Reads the answers on this state, unless they are read or it is the last state.
    fn load(&mut self) -> Result<(), ReadError> {
        if self.answers_read || self.step == self.replay.steps() {
            return Ok(());
        }
        let block = match &mut self.block {
            Some(block) => block,
            none => none.insert(self.replay.steps_block(self.step)?),
        };
        let differs = |kind| Difference { step: self.step, kind };
        let expected =
            block.take_count().map_err(|problem| self.replay.damage_at(self.step, problem))?;
        let found = self.game.decisions().len() as u64;
        if expected != found {
            return Err(differs(DifferenceKind::Decisions { expected, found }).into());
        }
        block.take_answers(expected, &mut self.answers).map_err(differs)?;
        self.answers_read = true;
        Ok(())
    }
}

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
    pub fn verify(&self, kind: &'static dyn GameKind) -> Verdict {
        let mut verifier = match self.verifier(kind) {
            Ok(verifier) => verifier,
            Err(reason) => return Verdict::Unproven { good_steps: 0, steps: self.steps(), reason },
        };
        loop {
            match verifier.advance() {
                Ok(true) => {}
                Ok(false) => {
                    let steps = verifier.good_steps;
                    let state_hash = verifier.cursor.game().state_hash();
                    return Verdict::Proven { steps, decisions: self.decisions(), state_hash };
                }
                Err(reason) => {
                    let good_steps = verifier.good_steps;
                    return Verdict::Unproven { good_steps, steps: self.steps(), reason };
                }
            }
        }
    }

    /// Verifies as [`verify`](Replay::verify) does, but step by step, beside other work.
    pub fn verifier(&self, kind: &'static dyn GameKind) -> Result<Verifier, ReadError> {
        let keys = self.keys().copied().collect::<Vec<_>>().into_iter().peekable();
        Ok(Verifier { replay: self.clone(), cursor: self.cursor(kind)?, keys, good_steps: 0 })
    }
}

/// A replay while it is verified.
#[derive(Debug)]
pub struct Verifier {
    replay: Replay,
    cursor: Cursor,
    /// Key frames that have not been verified yet.
    keys: Peekable<vec::IntoIter<BlockRef>>,
    /// The number of steps from the start that are known to follow the rules.
    pub good_steps: u64,
}

impl Verifier {
    /// Verifies one more step, or some. After the last one it returns `false`: the replay is
    /// proven.
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
        let next_key = self.keys.peek().map_or(u64::MAX, |key| key.first);
        if self.cursor.leap(next_key.min(self.replay.steps()))? || self.cursor.advance()? {
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
fn wrong_in(ending: &Ending, last: &Cursor, decisions: u64) -> Option<&'static str> {
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
