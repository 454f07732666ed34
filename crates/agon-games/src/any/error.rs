//! The errors of [`AnyGame`](super::AnyGame): bad settings, positions, answers or numbers, with the
//! place of the mistake.

use agon_core::{ActionError, Decision, Player, SetupError};
use thiserror::Error;

use crate::settings::SettingError;

/// Why a game of any kind cannot be set up, asked or stepped. A game is unchanged after an error.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AnyGameError {
    /// The settings are not the JSON of a game's settings.
    #[error("rules of {game}: {reason}")]
    Rules {
        /// The game's id.
        game: &'static str,
        /// What is wrong, and where in the text.
        reason: String,
    },
    /// A setting does not exist, or its value has the wrong type.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// The position is not the JSON of a game's position.
    #[error("position of {game}: {reason}")]
    Position {
        /// The game's id.
        game: &'static str,
        /// What is wrong, and where in the text.
        reason: String,
    },
    /// Settings, players or position contradict the game's rules.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// The game is over: there is no decision.
    #[error("the game is over")]
    Over,
    /// The match has no such player.
    #[error("there is no player {player}; players are numbered from 0 to {last}")]
    NoPlayer {
        /// The number given.
        player: Player,
        /// The last player there is.
        last: Player,
    },
    /// Nothing is asked of the player now.
    #[error("player {0} has no decision to make now")]
    NotAsked(Player),
    /// The decision is not wanted now.
    #[error("player {} has no decision to make for unit {} now", .0.player, .0.unit)]
    NotWanted(Decision),
    /// The decision has no such choice.
    #[error("{}: there is no choice {choice} among {choices}", decided(.decision))]
    NoChoice {
        /// The decision.
        decision: Decision,
        /// The choice given, from 0.
        choice: usize,
        /// Choices of the decision.
        choices: usize,
    },
    /// The answers are no JSON list.
    #[error("answers: {0}")]
    Answers(String),
    /// The number of answers differs from the decisions, or that of messages from the players.
    #[error("{given} {what} given, but {expected} are wanted")]
    Count {
        /// What is counted: "answers".
        what: &'static str,
        /// How many are wanted.
        expected: usize,
        /// How many came.
        given: usize,
    },
    /// An answer is not JSON of the right form.
    #[error("{}: {reason}", decided(.decision))]
    Answer {
        /// The decision.
        decision: Decision,
        /// What is wrong, and where in the text of this answer.
        reason: String,
    },
    /// A list of actions makes no answer.
    #[error("{}: {error}", decided(.decision))]
    Actions {
        /// The decision.
        decision: Decision,
        /// What is wrong with the list.
        error: ActionError,
    },
}

fn decided(decision: &Decision) -> String {
    format!("player {}, unit {}", decision.player, decision.unit)
}
