//! Whose machine a worker is, and who may have which match.

use std::fmt::{self, Display, Formatter};

use serde::{Deserialize, Serialize};

/// Whose machine a worker is.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Owner {
    /// The organiser trusts it: what it says counts.
    #[default]
    Trusted,
    /// Somebody has lent it: what it says is checked. The name is that of credentials which the
    /// organiser has given out.
    Volunteer(String),
}

impl Owner {
    /// Returns whether what it says is checked.
    pub fn is_volunteer(&self) -> bool {
        matches!(self, Owner::Volunteer(_))
    }

    /// Returns the name of one of its workers: a volunteer cannot use that of somebody else.
    pub fn worker(&self, name: &str) -> String {
        match self {
            Owner::Trusted => name.to_owned(),
            Owner::Volunteer(owner) => format!("{owner}/{name}"),
        }
    }
}

impl Display for Owner {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Owner::Trusted => f.write_str("the organiser"),
            Owner::Volunteer(owner) => f.write_str(owner),
        }
    }
}

impl Audience {
    /// Returns whether volunteers belong to it.
    pub fn is_open(self) -> bool {
        self == Audience::Everybody
    }
}

/// Who may play a match, and what a check of it can find.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    /// Who may have it.
    pub audience: Audience,
    /// Whether all its bots give the same answers each time. Two honest results are equal then.
    pub is_repeatable: bool,
}

/// Who may have the matches of a batch.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Audience {
    /// Workers that the organiser trusts.
    #[default]
    Trusted,
    /// Volunteers, too: all bots are public.
    Everybody,
}
