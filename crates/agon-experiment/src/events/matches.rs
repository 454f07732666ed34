//! Events of a match. `agon play` prints them while it plays.

use agon_core::Seed;
use agon_replay::Void;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

/// The start of a match.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MatchStart<'a> {
    /// The game's id.
    pub game: &'a str,
    /// The version of the game's rules.
    pub rules_version: u32,
    /// The preset that the settings started from. The key is absent if none was used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<&'a str>,
    /// The settings of the match; `agon rules GAME --json` prints their schema.
    #[schemars(with = "Map<String, Value>")]
    pub rules: Value,
    /// The seed of the match.
    pub seed: Seed,
    /// The names of the players, in order of player number.
    pub players: &'a [String],
}

/// An attempt at a match that the machine disturbed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct VoidMatch {
    /// The number of the attempt, from 1.
    pub attempt: u32,
    /// Why the attempt does not count.
    pub void: Option<Void>,
}
