//! A replay to be looked at.

use agon_core::Game;
use agon_replay::{Cursor, Replay};

use super::{Players, Reel, ReelError};

/// A replay to be looked at.
#[derive(Clone, Debug)]
pub struct FileReel<G: Game> {
    players: Players,
    steps: u64,
    cursor: Cursor<G>,
}

impl<G: Game> FileReel<G> {
    /// At the first state of a replay.
    ///
    /// # Errors
    /// If it is of another game or other rules, or damaged at its beginning.
    pub fn new(replay: &Replay) -> Result<FileReel<G>, ReelError> {
        let players = replay.header().players.iter().map(|bot| bot.name.clone()).collect();
        Ok(FileReel { players, steps: replay.steps(), cursor: replay.cursor()? })
    }
}

impl<G: Game> Reel<G> for FileReel<G> {
    fn players(&self) -> &[String] {
        &self.players
    }

    fn steps(&self) -> u64 {
        self.steps
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

    fn answers(&mut self) -> Result<Option<&[G::Answer]>, ReelError> {
        let last = self.step() == self.steps;
        let frame = self.cursor.frame()?;
        Ok((!last).then_some(frame.answers))
    }

    fn advance(&mut self) -> Result<bool, ReelError> {
        Ok(self.cursor.advance()?)
    }

    fn seek(&mut self, step: u64) -> Result<(), ReelError> {
        Ok(self.cursor.seek(step)?)
    }
}
