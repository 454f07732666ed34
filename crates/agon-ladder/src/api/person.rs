//! People.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::BotSummary;

/// What a person may do. Each role includes those before it.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Looks on.
    #[default]
    Spectator,
    /// Hands in bots.
    Author,
    /// Runs arenas.
    Organiser,
    /// Runs the server.
    Administrator,
}

/// A person.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Person {
    /// The name that everybody sees.
    pub name: String,
    /// What the person may do.
    pub role: Role,
    /// Since when the account exists.
    pub created: String,
    /// The person's bots in all arenas.
    pub bots: Vec<PersonBot>,
}

/// A bot of a person.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PersonBot {
    /// The name of the arena in addresses.
    pub arena: String,
    /// The title of the arena.
    pub arena_title: String,
    /// The bot.
    pub bot: BotSummary,
}
