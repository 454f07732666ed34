//! The verdict of a comparison.

use agon_rating::Decision;
use serde::Serialize;

/// How a comparison ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The new version is better.
    Better,
    /// It is not, or not by as much as was hoped for.
    NotBetter,
    /// As many matches as were allowed have not decided it.
    Most,
    /// All seeds are the same match, so that more of them tell nothing more.
    Same,
    /// Somebody stopped it.
    Interrupted,
    /// A match could not be played.
    Failed,
}

impl Verdict {
    /// The verdict of a test, if it has come to one.
    pub fn of(decision: Decision) -> Option<Verdict> {
        match decision {
            Decision::Continue => None,
            Decision::AcceptH0 => Some(Verdict::NotBetter),
            Decision::AcceptH1 => Some(Verdict::Better),
        }
    }

    /// Whether the test answered. `NotBetter` is an answer, all others but `Better` are none.
    pub fn is_decided(self) -> bool {
        matches!(self, Verdict::Better | Verdict::NotBetter)
    }
}
