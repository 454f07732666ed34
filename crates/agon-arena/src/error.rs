//! Errors that keep a match from being played. Bots never cause them by their play.

use agon_bots::OpenError;
use agon_core::SetupError;
use agon_match::{MatchError, Void, spec::SpecError};
use thiserror::Error;

/// Why a match cannot be played. Bots never cause it by their play.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ArenaError {
    /// The spec does not fit this Agon.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// The rules do not allow the match.
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
    /// The output for the replay cannot be opened.
    #[error(transparent)]
    Output(#[from] agon_files::WriteError),
    /// The replay cannot be written.
    #[error("cannot record the match in {path}: {source}")]
    Record {
        /// The file.
        path: String,
        /// Why.
        source: MatchError,
    },
    /// The match cannot be played.
    #[error(transparent)]
    Match(#[from] MatchError),
    /// The match was void again and again.
    #[error(
        "a match of {players} on seed {seed} was void {attempts} times, the last time since \
         {void}; end other programs that keep the machine busy, or play fewer matches at a time"
    )]
    Void {
        /// Who played.
        players: String,
        /// The seed.
        seed: agon_core::Seed,
        /// How often.
        attempts: usize,
        /// Why, the last time.
        void: Void,
    },
    /// The match panicked, which is a mistake in a game or in the arena.
    #[error("{message}")]
    Panic {
        /// Who played on which seed, the step, and the message of the panic.
        message: String,
        /// The replay up to the panic, if it was to be kept in memory.
        replay: Option<Vec<u8>>,
    },
    /// A ticket is used twice at the same time.
    #[error("job {0} is there already")]
    Job(u64),
    /// A bot cannot be started on other machines.
    #[error("{name}: {problem}")]
    OpenElsewhere {
        /// The bot's name.
        name: String,
        /// Which machines tried, and why it failed.
        problem: String,
    },
    /// Other machines were to play the match, and cannot.
    #[error("{0}")]
    Remote(String),
    /// The system does not start threads.
    #[error("cannot start a thread: {0}")]
    Thread(std::io::Error),
}

impl ArenaError {
    /// Returns the name of the bot that alone keeps the match from being played, and how: it cannot
    /// be opened, and not because the machine lacks something. A bot at an address only has to be
    /// started again.
    pub fn bot_at_fault(&self) -> Option<(&str, String)> {
        match self {
            ArenaError::Open { source: OpenError::Refused { .. }, .. } => None,
            ArenaError::Open { name, source } if !source.is_lack_of_the_machine() => {
                Some((name, source.to_string()))
            }
            ArenaError::OpenElsewhere { name, problem } => Some((name, problem.clone())),
            _ => None,
        }
    }
}
