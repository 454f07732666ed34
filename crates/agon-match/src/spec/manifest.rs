//! The manifest of a bot that is a folder: the file `agon.toml` in it.
//!
//! `agon-bots` reads it when somebody names the folder as a bot, and `agon new` writes it.

use agon_games::GameId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The name of the file.
pub const MANIFEST: &str = "agon.toml";

/// How a bot that is a folder is built and run.
///
/// Paths and commands start in the folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BotManifest {
    /// The game that the bot plays.
    pub game: GameId,
    /// The bot's name; the name of the folder if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Who wrote the bot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// The programming language, for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// The protocol that the program speaks.
    #[serde(default)]
    pub protocol: BotProtocol,
    /// The files that belong to the bot, as names of files and folders or patterns with `*`; all
    /// files of the folder if there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// A shell line that builds the bot, before its first match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub build: Option<String>,
    /// A file of the bot, or the command line that starts it, as `agon play` takes them.
    pub run: String,
}

/// The protocol of a bot's program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum BotProtocol {
    /// The game's own: its text protocol, functions in C, WebAssembly or Clojure.
    #[default]
    Game,
    /// JSON Lines.
    Jsonl,
}

impl BotManifest {
    /// Returns the bot as the text that `agon play` takes in the folder.
    pub fn spec(&self) -> String {
        match self.protocol {
            BotProtocol::Game => self.run.clone(),
            BotProtocol::Jsonl => format!("jsonl:{}", self.run),
        }
    }

    /// Takes the text that `agon play` takes in the folder apart: the protocol, and what to run.
    pub fn protocol_and_run(spec: &str) -> (BotProtocol, &str) {
        match spec.strip_prefix("jsonl:") {
            Some(run) => (BotProtocol::Jsonl, run),
            None => (BotProtocol::Game, spec),
        }
    }
}
