//! The states of a replay, with quick jumps to any step.
//!
//! The viewers of replays use it. A jump starts from the nearest key frame or kept state, and some
//! states on its way are kept.

use std::sync::Arc;

use agon_core::Game;
use agon_match::replay::{Cursor, Replay};

use super::{Players, StateError, StateSource};

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

/// The most states that are kept.
const MAX_KEPT: usize = 40;

/// The shortest way that is worth keeping a state for.
const WORTH_KEEPING: u64 = 8;

/// The last used states. Clones share them.
#[derive(Clone, Debug)]
pub(crate) struct Kept<S> {
    /// States by step; the last used one is last.
    states: Vec<(u64, Arc<S>)>,
}

impl<S: Clone> Kept<S> {
    /// Starts without states.
    pub(crate) fn new() -> Kept<S> {
        Kept { states: Vec::new() }
    }

    /// Keeps a state. If there are too many, forgets the one that was unused for longest.
    pub(crate) fn keep(&mut self, step: u64, state: &S) {
        self.states.retain(|(kept, _)| *kept != step);
        if self.states.len() == MAX_KEPT {
            self.states.remove(0);
        }
        self.states.push((step, Arc::new(state.clone())));
    }

    /// Returns the step of the last kept state up to `step`.
    pub(crate) fn before(&self, step: u64) -> Option<u64> {
        self.states.iter().map(|(kept, _)| *kept).filter(|&kept| kept <= step).max()
    }

    /// Returns the kept state of `step`.
    pub(crate) fn get(&mut self, step: u64) -> Option<S> {
        let index = self.states.iter().position(|(kept, _)| *kept == step)?;
        let used = self.states.remove(index);
        let state = S::clone(&used.1);
        self.states.push(used);
        Some(state)
    }

    /// Returns the steps worth keeping on the way from `from` to `to`.
    ///
    /// They get closer and closer together. So a person who steps back from the end always finds
    /// one near by. If there is none, the remaining way is halved.
    pub(crate) fn milestones(from: u64, to: u64) -> Vec<u64> {
        let mut milestones = Vec::new();
        let mut at = from;
        while to - at > WORTH_KEEPING {
            at += (to - at) / 2;
            milestones.push(at);
        }
        milestones
    }
}
