//! Errors in a scenario. Each names the step and the entry.

use std::io;

use agon_core::{Decision, Player, SetupError};
use agon_games::UnknownGame;
use thiserror::Error;

/// What is wrong with a scenario.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ScenarioError {
    /// It cannot be read.
    #[error("the scenario cannot be read: {}", agon_text::escape(&.0.to_string()))]
    Json(#[from] serde_json::Error),
    /// Its game is unknown.
    #[error(transparent)]
    UnknownGame(#[from] UnknownGame),
    /// It is for another game.
    #[error("this is a scenario for {found}, not for {expected}")]
    Game {
        /// The game in the scenario.
        found: String,
        /// The game that it was read as.
        expected: &'static str,
    },
    /// Rules, players and position do not fit.
    #[error("the scenario cannot be set up: {0}")]
    Setup(#[from] SetupError),
    /// The position has another number of players.
    #[error("players: {players} are named, but the position has {position}")]
    Players {
        /// Players in the scenario.
        players: usize,
        /// Players in its position.
        position: usize,
    },
    /// There are answers after the end of the game.
    #[error("steps[{step}]: the game is over after {step} steps")]
    Over {
        /// The first step after the end.
        step: usize,
    },
    /// An answer fits no decision.
    #[error("steps[{step}][{entry}]: {problem}")]
    Entry {
        /// The step, from 0.
        step: usize,
        /// The entry within the step, from 0.
        entry: usize,
        /// What is wrong.
        problem: EntryProblem,
    },
    /// The states cannot be written.
    #[error("cannot write: {0}")]
    Io(#[from] io::Error),
}

/// What is wrong with an entry.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EntryProblem {
    /// The game does not ask for this decision.
    #[error("player {player}{} is not asked; asked are: {asked}", unit_text(.unit))]
    NotAsked {
        /// The player in the entry.
        player: Player,
        /// The unit in the entry.
        unit: Option<u32>,
        /// The decisions that the game asks for.
        asked: String,
    },
    /// The player has several decisions and the entry does not say which.
    #[error("player {player} has several decisions, so a `unit` is needed: {asked}")]
    WhichUnit {
        /// The player in the entry.
        player: Player,
        /// The player's decisions.
        asked: String,
    },
    /// The decision has been answered in an earlier entry.
    #[error("player {} unit {} is answered twice", .0.player, .0.unit)]
    Twice(Decision),
}

fn unit_text(unit: &Option<u32>) -> String {
    unit.map_or(String::new(), |unit| format!(" unit {unit}"))
}
