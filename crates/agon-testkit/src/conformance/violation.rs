//! A promise that a game broke: what the conformance kit reports.

use agon_core::{Game, Seed};

/// A promise that a game broke.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The promise, in a few words.
    pub promise: &'static str,
    /// Where and how it was broken.
    pub detail: String,
}

pub(super) fn broken<T>(promise: &'static str, detail: impl Into<String>) -> Result<T, Violation> {
    Err(Violation { promise, detail: detail.into() })
}

pub(super) fn set_up<G: Game>(
    rules: &G::Rules,
    players: usize,
    seed: Seed,
) -> Result<G, Violation> {
    G::new(rules, players, seed)
        .map_err(|e| Violation { promise: "starts with these rules", detail: e.to_string() })
}
