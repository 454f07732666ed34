//! The pages of administrators.

use super::{ArenaHead, Paging, Role, Time};

/// A kind of work that waits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueueLine {
    /// What: `builds`, `matches of autumn-2026`.
    pub name: String,
    /// How many wait.
    pub waiting: u64,
    /// For how long the first has waited, in seconds.
    pub oldest: Option<u64>,
}

/// A problem of the server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ErrorLine {
    /// When it was last seen.
    pub at: Time,
    /// Where: `build`, `match 7 of autumn-2026`.
    pub place: String,
    /// What happened.
    pub text: String,
    /// How often.
    pub count: u64,
}

/// The overview for administrators.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overview {
    /// The version of Agon.
    pub version: String,
    /// Since when the server runs.
    pub since: Time,
    /// What waits.
    pub queue: Vec<QueueLine>,
    /// How many matches can be played at a time.
    pub slots: u64,
    /// How many are being played.
    pub playing: u64,
    /// The address of the server whose workers play, if this machine does not.
    pub workers: Option<String>,
    /// Matches an hour, on average since the start.
    pub per_hour: u64,
    /// Bytes that the ladder uses.
    pub disk_used: u64,
    /// Bytes that are left for it on the disk with its folder.
    pub disk_free: u64,
    /// Bytes without which it accepts and plays nothing, if soon no more are left.
    pub disk_least: Option<u64>,
    /// What uses the disk: `replays`, `versions`, with bytes.
    pub disk: Vec<(String, u64)>,
    /// Problems, newest first.
    pub errors: Vec<ErrorLine>,
}

/// A person in the list of administrators.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AdminPerson {
    /// The name for signing in.
    pub name: String,
    /// The name that everybody sees.
    pub shown: String,
    /// The role.
    pub role: Role,
    /// How many bots there are.
    pub bots: u64,
    /// Since when there is an account.
    pub since: Time,
    /// When the person was last here.
    pub seen: Option<Time>,
    /// Whether the person cannot sign in.
    pub disabled: bool,
}

/// An invitation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Invitation {
    /// Its code.
    pub code: String,
    /// Its whole address.
    pub address: String,
    /// What accounts may do.
    pub role: Role,
    /// What it is for, in the organiser's words; may be empty.
    pub note: String,
    /// How many people can still use it.
    pub left: u64,
    /// Until when it holds.
    pub until: Option<Time>,
}

/// A link with which a person chooses a new password; shown once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResetLink {
    /// Whose.
    pub name: String,
    /// Its whole address.
    pub address: String,
    /// Until when it holds.
    pub until: Option<Time>,
}

/// What became of a line of a class list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PersonResult {
    /// The name in the list.
    pub name: String,
    /// What became of it: `new`, `exists already`, or what is wrong.
    pub words: String,
    /// The personal link to set a password; empty if there is none.
    pub address: String,
}

/// What became of a class list that was just sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Upload {
    /// What is wrong with the list as a whole.
    pub error: Option<String>,
    /// A line for each person.
    pub people: Vec<PersonResult>,
}

/// The page on which an administrator confirms that a person is erased.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ErasePerson {
    /// The name.
    pub name: String,
    /// How many bots there are.
    pub bots: u64,
    /// What is wrong with what was sent just now, in sentences.
    pub error: Option<String>,
}

/// People, for administrators.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AdminPeople {
    /// People.
    pub people: Vec<AdminPerson>,
    /// What was searched for; empty if nothing.
    pub search: String,
    /// The page of the list.
    pub paging: Paging,
    /// Invitations.
    pub invitations: Vec<Invitation>,
    /// Whether visitors may not see who has an account.
    pub are_private: bool,
    /// A link that was just made.
    pub reset: Option<ResetLink>,
    /// What became of a class list that was just sent.
    pub upload: Option<Upload>,
}

/// An arena in the list of administrators.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AdminArena {
    /// The arena.
    pub arena: ArenaHead,
    /// How many authors have handed in.
    pub authors: u64,
    /// How many versions wait for build or check.
    pub waiting: u64,
    /// How many matches were played since the server started.
    pub since_start: u64,
}

/// Arenas, for organisers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AdminArenas {
    /// Arenas: open ones first.
    pub arenas: Vec<AdminArena>,
}

/// Something that somebody did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditEntry {
    /// When.
    pub at: Time,
    /// Who; empty for the server.
    pub who: String,
    /// From where.
    pub address: String,
    /// What: `arena.change`.
    pub action: String,
    /// About what: `autumn-2026`.
    pub subject: String,
    /// More about it; may be empty.
    pub detail: String,
}

/// The audit log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditLog {
    /// Newest first.
    pub entries: Vec<AuditEntry>,
    /// What was searched for; empty if nothing.
    pub search: String,
    /// The page of the list.
    pub paging: Paging,
}
