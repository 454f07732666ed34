//! People.

use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::{BotSummary, Time};

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

impl Role {
    /// All roles; each may do what those before it may.
    pub const ALL: [Role; 4] =
        [Role::Spectator, Role::Author, Role::Organiser, Role::Administrator];

    /// Returns its name in JSON, in forms and in the database.
    pub fn name(self) -> &'static str {
        match self {
            Role::Spectator => "spectator",
            Role::Author => "author",
            Role::Organiser => "organiser",
            Role::Administrator => "administrator",
        }
    }
}

impl FromStr for Role {
    type Err = ();

    fn from_str(text: &str) -> Result<Role, ()> {
        Role::ALL.into_iter().find(|role| role.name() == text).ok_or(())
    }
}

/// A person.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Person {
    /// The name that everybody sees.
    pub name: String,
    /// What the person may do.
    pub role: Role,
    /// Since when the account exists.
    pub created: Time,
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
