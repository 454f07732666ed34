//! What there is to be looked at: the states of a match, one after the other.

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
    /// The replay cannot be played so far.
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

/// The states of a match, at one of which it stands.
pub trait StateSource<G: Game>: Send {
    /// The names of the players.
    fn players(&self) -> &[String];

    /// Steps that there are by now.
    fn steps(&self) -> u64;

    /// Whether there will be no more.
    fn is_complete(&self) -> bool;

    /// Steps before the state that it stands at.
    fn step(&self) -> u64;

    /// The state.
    fn game(&self) -> &G;

    /// What was answered on this state; `None` if that is not known: on the last state.
    ///
    /// # Errors
    /// If the replay cannot be read.
    fn answers(&mut self) -> Result<Option<&[G::Answer]>, StateError>;

    /// Goes on by one step, and says whether there was one.
    ///
    /// # Errors
    /// If the replay cannot be played.
    fn advance(&mut self) -> Result<bool, StateError>;

    /// Jumps.
    ///
    /// # Errors
    /// If there is no such step, or it cannot be reached; it then stands at its old state or on the
    /// way.
    fn seek(&mut self, step: u64) -> Result<(), StateError>;

    /// Another look at the same match, for looking elsewhere without leaving this place.
    fn fork(&self) -> Box<dyn StateSource<G>>;

    /// Notices that the match has begun anew, and then says so and stands at its first state.
    fn refresh(&mut self) -> bool {
        false
    }
}
