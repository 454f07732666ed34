//! The server, people, and their tokens.

use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::{BotSummary, Time};

/// The server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Server {
    /// The name of the site.
    pub title: String,
    /// The version of Agon, such as `0.1.0`.
    pub version: String,
    /// The version of the API: `v1`.
    pub api: String,
    /// The server's time.
    pub time: Time,
    /// Since when the server runs.
    pub since: Time,
    /// Where to go from here.
    pub links: ServerLinks,
}

/// Addresses of the server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ServerLinks {
    /// The front page, for browsers.
    pub pages: String,
    /// The arenas.
    pub arenas: String,
    /// The person to whom the token belongs.
    pub me: String,
    /// The OpenAPI document.
    pub openapi: String,
    /// The meaning of problem codes.
    pub problems: String,
}

/// The person to whom the token or the session belongs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Me {
    /// The id of the account.
    pub id: i64,
    /// The name, as others see it.
    pub name: String,
    /// What the person may do.
    pub role: Role,
    /// Since when the account exists.
    pub created: Time,
    /// What this request may do.
    pub scopes: Vec<Scope>,
    /// The token of this request; null if a browser's session asks.
    pub token: Option<Token>,
    /// The person's bots in all arenas.
    pub bots: Vec<PersonBot>,
}

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

/// What a token may do. It never may more than its person.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Read what the person may see.
    Read,
    /// Hand in versions, and change own bots.
    Submit,
    /// Do what organisers and administrators do.
    Manage,
}

impl Scope {
    /// All scopes.
    pub const ALL: [Scope; 3] = [Scope::Read, Scope::Submit, Scope::Manage];

    /// Returns the name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Scope::Read => "read",
            Scope::Submit => "submit",
            Scope::Manage => "manage",
        }
    }
}

/// A token, without its secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Token {
    /// Its id in addresses.
    pub id: i64,
    /// What it is for, in the person's words.
    pub label: String,
    /// What it may do.
    pub scopes: Vec<Scope>,
    /// Whether it was made with name and password (`POST /tokens`). Such tokens end when the
    /// password changes. Those that were made on the account page stay.
    pub by_password: bool,
    /// When it was made.
    pub created: Time,
    /// When it was last used, exact to a minute; null if it was never used.
    pub last_used: Option<Time>,
    /// When it ends.
    pub expires: Time,
    /// Whether it is the token of this request.
    pub current: bool,
}

/// A new token with its secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NewToken {
    /// The secret for the header `Authorization: Bearer …`: `agon_` and 40 hexadecimal digits.
    /// The server does not show it again.
    pub secret: String,
    /// The name of the person, as others see it.
    pub person: String,
    /// The token.
    pub token: Token,
}

/// Asks for a token with name and password.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TokenRequest {
    /// The person's name, in any case.
    #[schemars(length(max = 64))]
    pub name: String,
    /// The password.
    #[schemars(length(max = 512))]
    pub password: String,
    /// What the token is for, such as the name of the computer.
    #[serde(default)]
    #[schemars(length(max = 80))]
    pub label: String,
    /// What it may do.
    #[serde(default = "usual_scopes")]
    #[schemars(length(min = 1))]
    pub scopes: Vec<Scope>,
    /// After how many days it ends.
    #[serde(default = "usual_days")]
    #[schemars(range(min = 1, max = 366))]
    pub days: u32,
}

fn usual_scopes() -> Vec<Scope> {
    vec![Scope::Read, Scope::Submit]
}

fn usual_days() -> u32 {
    90
}
