//! Errors that keep matches from being played.

use agon_bots::OpenError;
use agon_core::SetupError;
use agon_match::{MatchError, Void};
use thiserror::Error;

/// Why a match cannot be played. Bots never cause it by their play.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RunError {
    /// The rules do not allow it.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// A bot cannot be opened.
    #[error("{name}: {source}")]
    Open {
        /// The bot's name.
        name: String,
        /// Why.
        source: OpenError,
    },
    /// The match cannot be played.
    #[error(transparent)]
    Match(#[from] MatchError),
    /// It was void again and again.
    #[error(
        "a match of {players} on seed {seed} was void {attempts} times, the last time since \
         {void}; the machine does too much else, or too many matches are played at a time"
    )]
    Void {
        /// Who played.
        players: String,
        /// The seed.
        seed: agon_core::Seed,
        /// How often.
        attempts: u32,
        /// Why, the last time.
        void: Void,
    },
    /// The system does not start threads.
    #[error("cannot start a thread: {0}")]
    Thread(std::io::Error),
}
