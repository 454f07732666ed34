//! What each page needs to know besides its own data.

use super::Time;

/// What a person may do. Each role includes those before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Watches, and has not signed in.
    #[default]
    Visitor,
    /// Hands in bots.
    Author,
    /// Runs arenas.
    Organiser,
    /// Runs the server.
    Administrator,
}

impl Role {
    /// All roles that an account can have.
    pub const ALL: [Role; 3] = [Role::Author, Role::Organiser, Role::Administrator];

    /// Returns the role's name, which is also the value of fields `role`.
    pub fn name(self) -> &'static str {
        match self {
            Role::Visitor => "visitor",
            Role::Author => "author",
            Role::Organiser => "organiser",
            Role::Administrator => "administrator",
        }
    }
}

/// The person who sees the page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Viewer {
    /// The name that everybody sees; empty for a visitor.
    pub name: String,
    /// What the person may do.
    pub role: Role,
    /// The value of the field `csrf` of all forms; visitors need one, too, to sign in.
    pub csrf: String,
}

impl Viewer {
    /// Returns whether the person has signed in.
    pub fn is_signed_in(&self) -> bool {
        self.role > Role::Visitor
    }

    /// Returns whether the person runs arenas.
    pub fn is_organiser(&self) -> bool {
        self.role >= Role::Organiser
    }
}

/// How a message is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NoticeKind {
    /// Something was done.
    #[default]
    Done,
    /// Something needs attention.
    Warning,
    /// Something was not done.
    Problem,
}

/// A message at the top of a page, for example after a form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notice {
    /// How it is meant.
    pub kind: NoticeKind,
    /// The message, in sentences.
    pub text: String,
}

/// What each page needs to know besides its own data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Context {
    /// The name of the site, such as `Agon at the university`; empty for just `Agon`.
    pub site: String,
    /// The person who sees the page.
    pub viewer: Viewer,
    /// A message at the top.
    pub notice: Option<Notice>,
    /// Path and query of this page, to return to after signing in: `/arenas/x?page=2`.
    pub path: String,
    /// When the page is written; "3 minutes ago" counts from here.
    pub now: Time,
}
