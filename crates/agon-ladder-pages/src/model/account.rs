//! People, and their accounts.

use super::{ArenaHead, BotRef, BotState, Rating, Role, Time};

/// A bot of a person.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PersonBot {
    /// The arena.
    pub arena: ArenaHead,
    /// The bot, with its active version.
    pub bot: BotRef,
    /// Whether it plays.
    pub state: BotState,
    /// Its rank of how many.
    pub rank: Option<(u64, u64)>,
    /// Its rating.
    pub rating: Option<Rating>,
    /// How many matches it played.
    pub matches: u64,
    /// Its language.
    pub language: String,
}

/// The page of a person.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Person {
    /// The name.
    pub name: String,
    /// The role.
    pub role: Role,
    /// Since when there is an account.
    pub since: Time,
    /// The bots.
    pub bots: Vec<PersonBot>,
}

/// The page to sign in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SignIn {
    /// The name that was just sent.
    pub name: String,
    /// What is wrong with what was sent.
    pub error: Option<String>,
    /// The path to return to.
    pub next: String,
}

/// The page behind an invitation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Join {
    /// The code in the address.
    pub code: String,
    /// Who invites.
    pub by: String,
    /// What the account may do.
    pub role: Role,
    /// Until when the invitation holds.
    pub until: Option<Time>,
    /// The name that was just sent, or that the invitation is for.
    pub name: String,
    /// Whether the name is given by the invitation.
    pub name_is_fixed: bool,
    /// What is wrong with what was sent.
    pub error: Option<String>,
}

/// The page to choose a new password with a link.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reset {
    /// The code in the address.
    pub code: String,
    /// Whose password it is.
    pub name: String,
    /// Whether the account has no password yet.
    pub is_first: bool,
    /// What is wrong with what was sent.
    pub error: Option<String>,
}

/// A place where somebody is signed in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Session {
    /// Its identifier in addresses; not the secret.
    pub id: String,
    /// The program: `Firefox on Linux`.
    pub program: String,
    /// Since when.
    pub since: Time,
    /// When it was last used.
    pub seen: Time,
    /// Whether it is the one that sees this page.
    pub current: bool,
}

/// A token with which programs use the API.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Token {
    /// Its identifier in addresses; not the secret.
    pub id: String,
    /// What it is for.
    pub label: String,
    /// What it may do: `read, submit`.
    pub scopes: String,
    /// Whether it was made with name and password, and ends when the password changes.
    pub by_password: bool,
    /// When it was last used.
    pub seen: Option<Time>,
    /// When it ends.
    pub until: Time,
}

/// The page of one's own account.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// The name for signing in.
    pub name: String,
    /// Where the person is signed in.
    pub sessions: Vec<Session>,
    /// The tokens, the latest first.
    pub tokens: Vec<Token>,
    /// The secret of a token that was just made; shown once.
    pub new_token: Option<String>,
    /// What is wrong with what was sent.
    pub error: Option<String>,
}
