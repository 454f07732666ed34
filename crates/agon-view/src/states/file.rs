//! The states of a replay, with quick jumps to any step.
//!
//! The viewers of replays use it. A jump starts from the nearest key frame or kept state.

use agon_core::Game;
use agon_replay::{Cursor, Replay};

use super::{Players, StateError, StateSource, kept::Kept};

/// The states of a replay.
#[derive(Clone, Debug)]
pub struct ReplayStates<G: Game> {
    players: Players,
    replay: Replay,
    cursor: Cursor<G>,
    kept: Kept<Cursor<G>>,
}

impl<G: Game> ReplayStates<G> {
    /// Starts at the first state of a replay.
    ///
    /// # Errors
    /// If it is of another game or other rules, or damaged at its beginning.
    pub fn new(replay: &Replay) -> Result<ReplayStates<G>, StateError> {
        let players = replay.header().players.iter().map(|bot| bot.name.clone()).collect();
        let cursor: Cursor<G> = replay.cursor()?;
        let mut kept = Kept::new();
        kept.keep(0, &cursor);
        Ok(ReplayStates { players, replay: replay.clone(), cursor, kept })
    }

    /// Jumps to the state with the shortest way to `step`.
    ///
    /// This is a kept state, a key frame, or the current state.
    fn begin_seek(&mut self, step: u64) -> Result<(), StateError> {
        let here = Some(self.step()).filter(|&here| here <= step);
        let kept = self.kept.before(step).filter(|&kept| here.is_none_or(|here| kept > here));
        let nearest = kept.or(here);
        if self
            .replay
            .key_before(step)
            .is_some_and(|key| nearest.is_none_or(|nearest| key > nearest))
        {
            // Only up to the key frame: the steps after it are played below, and kept.
            self.cursor = self.replay.cursor_at(step)?;
        } else if let Some(cursor) = kept.and_then(|kept| self.kept.get(kept)) {
            self.cursor = cursor;
        } else if here.is_none() {
            self.cursor = self.replay.cursor()?;
        }
        Ok(())
    }
}

impl<G: Game> StateSource<G> for ReplayStates<G> {
    fn players(&self) -> &[String] {
        &self.players
    }

    fn steps(&self) -> u64 {
        self.replay.steps()
    }

    fn is_complete(&self) -> bool {
        true
    }

    fn step(&self) -> u64 {
        self.cursor.step()
    }

    fn game(&self) -> &G {
        self.cursor.game()
    }

    fn answers(&mut self) -> Result<Option<&[G::Answer]>, StateError> {
        let last = self.step() == self.steps();
        let frame = self.cursor.frame()?;
        Ok((!last).then_some(frame.given))
    }

    fn advance(&mut self) -> Result<bool, StateError> {
        Ok(self.cursor.advance()?)
    }

    fn seek(&mut self, step: u64) -> Result<(), StateError> {
        let steps = self.steps();
        if step > steps {
            return Err(StateError::NoSuchStep { step, steps });
        }
        self.begin_seek(step)?;
        let mut milestones =
            Kept::<Cursor<G>>::milestones(self.step(), step).into_iter().peekable();
        while self.step() < step {
            self.cursor.advance()?;
            if milestones.next_if_eq(&self.step()).is_some() {
                self.kept.keep(self.step(), &self.cursor);
            }
        }
        Ok(())
    }

    fn fork(&self) -> Box<dyn StateSource<G>> {
        Box::new(self.clone())
    }
}
