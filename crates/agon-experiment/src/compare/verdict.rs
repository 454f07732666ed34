//! How a comparison ended. `agon compare` reports it, and chooses its exit code by it.

use agon_rating::Decision;
use schemars::JsonSchema;
use serde::Serialize;

/// How a comparison ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The new version is better.
    Better,
    /// It is not, or not by as much as was hoped for.
    NotBetter,
    /// The most matches that were allowed have not decided it.
    Most,
    /// All seeds gave the same matches, so that more of them would show nothing new.
    Same,
    /// Somebody stopped it.
    Interrupted,
    /// A match could not be played.
    Failed,
}

impl Verdict {
    /// Returns the verdict of a test, if it has decided.
    pub fn of(decision: Decision) -> Option<Verdict> {
        match decision {
            Decision::Continue => None,
            Decision::AcceptH0 => Some(Verdict::NotBetter),
            Decision::AcceptH1 => Some(Verdict::Better),
        }
    }

    /// Returns whether the test decided: only `Better` and `NotBetter` are decisions.
    pub fn is_decided(self) -> bool {
        matches!(self, Verdict::Better | Verdict::NotBetter)
    }
}
