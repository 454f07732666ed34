//! What organisers and administrators see and do.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::{Role, Time};

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
