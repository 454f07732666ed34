//! Steps through the states of a replay, forwards or with jumps.
//!
//! The viewer, result files, replay sessions and the verification get their states from it.

use agon_core::Game;

use crate::replay::{
    error::{Difference, DifferenceKind, ReadError},
    replay::Replay,
    steps::Steps,
};

/// The number of bad key frames after which a seek starts at the start: each may be large.
const MAX_BAD_KEYS: usize = 3;

/// One state of a replay and the answers given on it.
#[derive(Debug)]
pub struct ReplayState<'a, G: Game> {
    /// Steps played before.
    pub step: u64,
    /// The state.
    pub game: &'a G,
    /// The answers given on it, one per decision; empty on the last state.
    pub given: &'a [G::Answer],
}

/// A place in a replay: a state, from which you can step forward or jump.
///
/// ```no_run
/// # use crate::replay::{ReadError, Replay};
/// # fn show<G: agon_core::Game>(replay: &Replay) -> Result<(), ReadError> {
/// let mut cursor = replay.cursor::<G>()?;
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
pub struct Cursor<G: Game> {
    replay: Replay,
    game: G,
    step: u64,
    block: Option<Steps>,
    /// The answers on this state, once `answers_read`. Empty on the last state.
    answers: Vec<G::Answer>,
    answers_read: bool,
}

impl Replay {
    /// Returns the state after `step` steps.
    ///
    /// # Errors
    /// If there is no such state, or it cannot be reached because the file is damaged or differs
    /// from the rules.
    pub fn seek<G: Game>(&self, step: u64) -> Result<G, ReadError> {
        let mut cursor = self.cursor_at(step)?;
        cursor.seek(step)?;
        Ok(cursor.into_game())
    }

    /// Returns a cursor on the first state.
    ///
    /// # Errors
    /// As [`Replay::start`].
    pub fn cursor<G: Game>(&self) -> Result<Cursor<G>, ReadError> {
        Ok(Cursor::new(self, self.start()?, 0))
    }

    /// Returns a cursor on the nearest state before `step` that needs no playing.
    ///
    /// This is a key frame or the start. After a few bad key frames it is the start.
    ///
    /// # Errors
    /// As [`Replay::start`].
    pub fn cursor_at<G: Game>(&self, step: u64) -> Result<Cursor<G>, ReadError> {
        // A bad key frame only costs time: an earlier one works as well.
        let keys = self.keys().rev().filter(|key| key.first <= step).take(MAX_BAD_KEYS);
        match keys.map(|key| (self.key_frame(key), key.first)).find(|(game, _)| game.is_ok()) {
            Some((game, first)) => Ok(Cursor::new(self, game?, first)),
            None => self.cursor(),
        }
    }
}

impl<G: Game> Cursor<G> {
    pub(crate) fn new(replay: &Replay, game: G, step: u64) -> Cursor<G> {
        Cursor {
            replay: replay.clone(),
            game,
            step,
            block: None,
            answers: Vec::new(),
            answers_read: false,
        }
    }

    /// Returns the state.
    pub fn game(&self) -> &G {
        &self.game
    }

    /// Takes the state out of the cursor.
    pub fn into_game(self) -> G {
        self.game
    }

    /// Returns the number of steps before this state.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// Returns the state with the answers given on it.
    ///
    /// # Errors
    /// If the answers cannot be read or do not fit the state.
    pub fn frame(&mut self) -> Result<ReplayState<'_, G>, ReadError> {
        self.load()?;
        Ok(ReplayState { step: self.step, game: &self.game, given: &self.answers })
    }

    /// Plays one step, and returns false if there was none.
    ///
    /// # Errors
    /// If the answers cannot be read, do not fit, or lead to another state than the file says.
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
        self.answers.clear();
        self.answers_read = false;
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
            *self = self.replay.cursor_at(step)?;
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
