//! Events of an examination. `agon check` prints them.

use crate::check::{Case, Status};
use agon_core::{BotInfo, Evidence, Seed};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

/// The bot that was examined, and how.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CheckedBot<'a> {
    /// The game's id.
    pub game: &'a str,
    /// The settings of the matches; `agon rules GAME --json` prints their schema.
    #[schemars(with = "Map<String, Value>")]
    pub rules: &'a Value,
    /// The seed of the first match.
    pub seed: Seed,
    /// The bot's name.
    pub name: &'a str,
    /// The bot as it was typed.
    pub spec: &'a str,
    /// The bot; `null` if it cannot be loaded.
    pub bot: Option<&'a BotInfo>,
}

/// The result of one examination.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ExaminationResult<'a> {
    /// Its number, from 1.
    pub number: u8,
    /// Its name.
    pub name: &'a str,
    /// How it went.
    pub status: Status,
    /// What was found, in a sentence.
    pub found: &'a str,
    /// What to do, in a sentence.
    pub remedy: Option<&'a str>,
    /// The faults that it is about.
    pub faults: &'a [Case],
    /// What the bot wrote and how it ended; `null` if nothing was seen beside the faults.
    pub evidence: Option<&'a Evidence>,
    /// What was measured, as numbers with the unit in their names; each examination has its own
    /// keys. `null` if nothing was measured.
    #[schemars(with = "Option<Map<String, Value>>")]
    pub figures: &'a Value,
}

/// The end of an examination.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CheckVerdict {
    /// Whether no examination failed.
    pub passed: bool,
    /// The numbers of the failed examinations.
    pub failed: Vec<u8>,
    /// The numbers of the examinations with a warning.
    pub warnings: Vec<u8>,
}
