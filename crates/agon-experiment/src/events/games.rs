//! Events of games and their built-in bots. `agon games` and `agon bots` print them.

use schemars::JsonSchema;
use serde::Serialize;

/// A game.
#[derive(Debug, Serialize, JsonSchema)]
pub struct GameFacts<'a> {
    /// Its name on the command line.
    pub id: &'a str,
    /// The version of its rules.
    pub rules_version: u32,
    /// How many players a match can have.
    pub players: PlayerRange,
    /// The game's word for a unit of its length: `turn`, `round`, `tick`.
    pub turn: &'a str,
    /// The game in one sentence.
    pub summary: &'a str,
}

/// How many players a match can have.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PlayerRange {
    /// The smallest number.
    pub min: usize,
    /// The largest number.
    pub max: usize,
}

/// A built-in bot.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BuiltinBot<'a> {
    /// The game's id.
    pub game: &'a str,
    /// The bot's name.
    pub name: &'a str,
    /// The bot on the command line: `builtin:NAME`.
    pub spec: String,
    /// The bot's version, which changes with its answers.
    pub version: u32,
    /// How it plays, in one sentence.
    pub summary: &'a str,
    /// Its parameters.
    pub params: Vec<BuiltinParam<'a>>,
}

/// A parameter of a built-in bot.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BuiltinParam<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its default value.
    pub default: &'a str,
    /// Its effect, with unit and range.
    pub summary: &'a str,
}
