//! The server, and who asks.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::{PersonBot, Role, Scope, Time, Token};

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
