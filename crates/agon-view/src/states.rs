//! The states of a match to show: the trait [`StateSource`].
//!
//! The playback, the inspector and the chart read a match through it. [`ReplayStates`] are the
//! states of a replay, [`LiveStates`] those of a running match.

mod file;
mod live;

pub use file::ReplayStates;
pub use live::{LiveStates, SharedStates};

use agon_core::Game;
use agon_match::replay::ReadError;
use thiserror::Error;

/// The names of the players, in order of player number.
pub type Players = Vec<String>;

/// The reason why a state cannot be shown.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StateError {
    /// The replay cannot be played up to this state.
    #[error(transparent)]
    Replay(#[from] ReadError),
    /// There is no such step, or not yet.
    #[error("there is no step {step}; the match has {steps} so far")]
    NoSuchStep {
        /// The requested step.
        step: u64,
        /// The number of steps.
        steps: u64,
    },
}

/// The states of a match, with a current one.
pub trait StateSource<G: Game>: Send {
    /// Returns the names of the players.
    fn players(&self) -> &[String];

    /// Returns the number of steps so far.
    fn steps(&self) -> u64;

    /// Returns whether no more steps will come.
    fn is_complete(&self) -> bool;

    /// Returns the number of steps before the current state.
    fn step(&self) -> u64;

    /// Returns the current state.
    fn game(&self) -> &G;

    /// Returns the answers on this state; `None` if they are unknown, as on the last state.
    ///
    /// # Errors
    /// If the replay cannot be read.
    fn answers(&mut self) -> Result<Option<&[G::Answer]>, StateError>;

    /// Advances by one step, and returns whether there was one.
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

    /// Checks whether the match has started again.
    ///
    /// If so, returns `true` and jumps to its first state.
    fn refresh(&mut self) -> bool {
        false
    }
}
