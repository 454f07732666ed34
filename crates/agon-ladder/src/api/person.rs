//! The server, people and their tokens; what organisers and administrators see and do.

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

/// What the server does.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Overview {
    /// The version of Agon.
    pub version: String,
    /// Since when the server runs.
    pub since: Time,
    /// What waits.
    pub queues: Vec<Queue>,
    /// The places in which matches are played.
    pub slots: Slots,
    /// Matches an hour, on average since the start.
    pub matches_per_hour: u64,
    /// The room that the ladder has.
    pub disk: Disk,
    /// Problems of the server itself, the last one first; 100 at most.
    pub problems: Vec<ServerProblem>,
}

/// Work that waits.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Queue {
    /// What: `versions to build`.
    pub name: String,
    /// How many wait.
    pub waiting: u64,
    /// For how long the first one has waited, in seconds.
    pub oldest_s: Option<u64>,
}

/// The places in which matches are played.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Slots {
    /// How many there are.
    pub total: u64,
    /// In how many a match is played now.
    pub playing: u64,
}

/// The room that the ladder has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Disk {
    /// Bytes that it uses: files of bots, replays, and the database.
    pub used: u64,
    /// Bytes that are left on the disk with the server's folder.
    pub free: u64,
}

/// A problem of the server itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ServerProblem {
    /// When it was last there.
    pub at: Time,
    /// Where: `build`, `board`.
    pub place: String,
    /// What happened.
    pub text: String,
    /// How often.
    pub count: u64,
}

/// A person, as organisers see it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AdminPerson {
    /// The id of the account.
    pub id: i64,
    /// The name for signing in, which only organisers and the person see.
    pub name: String,
    /// The name that everybody sees.
    pub display_name: String,
    /// What the person may do.
    pub role: Role,
    /// How many bots there are.
    pub bots: u64,
    /// Since when the account exists.
    pub created: Time,
    /// When the person was last seen in a browser.
    pub seen: Option<Time>,
    /// Whether the person cannot sign in.
    pub disabled: bool,
}

/// An entry of the audit log.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AuditEntry {
    /// Its number; later entries have larger ones.
    pub id: i64,
    /// When.
    pub at: Time,
    /// Who did it; null for the server itself.
    pub person: Option<String>,
    /// What was done: `bot.rename`.
    pub action: String,
    /// About what.
    pub subject: String,
    /// More about it; may be empty.
    pub detail: String,
}

/// Gives a person a role.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RoleRequest {
    /// The role.
    pub role: Role,
}

/// Removes all that is known of a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EraseRequest {
    /// The person's name once more, in any case.
    #[schemars(length(max = 64))]
    pub confirm: String,
}

/// What is left of a person who was erased.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Erased {
    /// The id of the account, a random number.
    pub id: i64,
    /// What stands for the names of the person and the bots from now on: `erased-1a2b3c`.
    pub name: String,
    /// When. Files of bots and replays are removed within a few minutes.
    pub erased: Time,
}

/// A link with which a person sets a new password.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ResetLink {
    /// Whose password it sets.
    pub name: String,
    /// Its address. The server does not show it again.
    pub url: String,
    /// When it ends.
    pub expires: Time,
}

/// Makes an invitation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InvitationRequest {
    /// What those who join may do.
    #[serde(default = "author")]
    pub role: Role,
    /// How many people can use it.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 10000))]
    pub uses: u32,
    /// After how many days it ends.
    #[serde(default = "two_weeks")]
    #[schemars(range(min = 1, max = 366))]
    pub days: u32,
    /// What it is for; may be empty.
    #[serde(default)]
    #[schemars(length(max = 200))]
    pub note: String,
}

fn author() -> Role {
    Role::Author
}

fn one() -> u32 {
    1
}

fn two_weeks() -> u32 {
    14
}

/// A new invitation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Invitation {
    /// Its name in lists; not the secret.
    pub id: String,
    /// Its address. The server does not show it again.
    pub url: String,
    /// What those who join may do.
    pub role: Role,
    /// How many people can use it.
    pub uses: u64,
    /// What it is for.
    pub note: String,
    /// When it ends.
    pub expires: Time,
}
