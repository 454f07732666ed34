//! The states of a match to show, one after the other.

mod file;
mod kept;
mod live;

pub use file::ReplayStates;
pub use live::{LiveStates, SharedStates};

use agon_core::Game;
use agon_replay::ReadError;
use thiserror::Error;

/// The names of the players, in order of player number.
pub type Players = Vec<String>;

/// Why a state cannot be shown.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StateError {
    /// The replay cannot be played up to this state.
    #[error(transparent)]
    Replay(#[from] ReadError),
    /// There is no such step, or not yet.
    #[error("there is no step {step}; the match has {steps} so far")]
    NoSuchStep {
        /// The step asked for.
        step: u64,
        /// Steps that there are.
        steps: u64,
    },
}

/// The states of a match, with a current one.
pub trait StateSource<G: Game>: Send {
    /// Returns the names of the players.
    fn players(&self) -> &[String];

    /// Returns how many steps there are so far.
    fn steps(&self) -> u64;

    /// Whether no more steps will come.
    fn is_complete(&self) -> bool;

    /// Returns how many steps are before the current state.
    fn step(&self) -> u64;

    /// Returns the current state.
    fn game(&self) -> &G;

    /// Returns the answers on this state; `None` if they are not known, as on the last state.
    ///
    /// # Errors
    /// If the replay cannot be read.
    fn answers(&mut self) -> Result<Option<&[G::Answer]>, StateError>;

    /// Advances by one step. Returns whether there was one.
    ///
    /// # Errors
    /// If the replay cannot be played.
    fn advance(&mut self) -> Result<bool, StateError>;

    /// Jumps to the state after `step` steps.
    ///
    /// # Errors
    /// If there is no such step, or it cannot be reached. The current state is then the old one or
    /// one between the two.
    fn seek(&mut self, step: u64) -> Result<(), StateError>;

    /// Returns a second source of the same match, with a current state of its own.
    fn fork(&self) -> Box<dyn StateSource<G>>;

    /// Checks whether the match has begun again. If so, returns `true` and jumps to its first
    /// state.
    fn refresh(&mut self) -> bool {
        false
    }
}
