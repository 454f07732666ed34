//! Whose machine a worker is, and who may have a match.

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
