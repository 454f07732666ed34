//! Who played.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is known about a bot that plays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BotInfo {
    /// Its name in this match.
    pub name: String,
    /// What a person would type to have it play again; may be empty.
    pub spec: String,
    /// How it is run: `builtin`, `program`, `human` and so on.
    pub kind: String,
    /// A digest of the program that played, if there is one.
    pub digest: Option<String>,
}

impl BotInfo {
    /// A bot of which only name and kind are known.
    pub fn new(name: impl Into<String>, kind: impl Into<String>) -> BotInfo {
        BotInfo { name: name.into(), spec: String::new(), kind: kind.into(), digest: None }
    }
}
