//! Verifies in the browser that the states of a match follow from the bots' answers.
//!
//! The page calls it step by step while it shows a replay. A live match is verified step by step as
//! it arrives (`live::receiver`).

use agon_core::Game;
use agon_match::replay::{ReadError, Replay, Verifier};
use serde::Serialize;

/// The verified part of a replay or a match.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct VerifiedSoFar {
    /// The verified states, as steps from the start; they follow from the answers.
    pub(crate) steps: u64,
    /// Whether everything is verified.
    pub(crate) done: bool,
    /// The thing that does not follow, or cannot be read.
    pub(crate) problem: Option<String>,
}

/// Verifies in small parts, beside the viewer.
pub(crate) trait Verification: Send {
    /// Verifies one more step, and returns whether there is more to do now.
    fn verify_next(&mut self) -> bool;

    /// Returns its progress.
    fn proven(&self) -> VerifiedSoFar;
}

/// Verifies a replay by playing it again.
#[derive(Debug)]
pub(crate) struct ReplayProof<G: Game> {
    verifier: Option<Verifier<G>>,
    proven: VerifiedSoFar,
}

impl<G: Game> ReplayProof<G> {
    /// Starts with just the start verified.
    ///
    /// # Errors
    /// If the replay has no good start.
    pub(crate) fn new(replay: &Replay) -> Result<ReplayProof<G>, ReadError> {
        Ok(ReplayProof { verifier: Some(replay.verifier()?), proven: VerifiedSoFar::default() })
    }
}

impl<G: Game> Verification for ReplayProof<G> {
    fn verify_next(&mut self) -> bool {
        let Some(verifier) = &mut self.verifier else { return false };
        let advanced = verifier.advance();
        self.proven.steps = verifier.good_steps();
        if let Ok(true) = advanced {
            return true;
        }
        self.proven.done = true;
        self.proven.problem = advanced.err().map(|error| error.to_string());
        self.verifier = None;
        false
    }

    fn proven(&self) -> VerifiedSoFar {
        self.proven.clone()
    }
}
