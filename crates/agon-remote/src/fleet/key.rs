//! What makes two matches the same: the digest of all that their results depend on.

use std::fmt::{self, Display, Formatter};

use agon_core::Seed;
use agon_match::spec::{Digest, MatchSpec, Seat};
use serde::{Deserialize, Serialize};

/// The key of a match: the digest of its rules, settings, seats with the bots' contents, seed and
/// repetition.
///
/// A result counts for a key, whoever played it and whenever it comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct JobKey(pub Digest);

impl JobKey {
    /// Returns the key of a match that is like `base` but for its seats, seed and repetition.
    /// `base` is the digest of [`base_text`].
    pub fn new(base: Digest, seats: &[Digest], seed: Seed, repetition: u32) -> JobKey {
        let mut text = Vec::with_capacity(64 * (seats.len() + 2));
        text.extend(base.to_string().into_bytes());
        for seat in seats {
            text.extend(seat.to_string().into_bytes());
        }
        text.extend(seed.number().to_le_bytes());
        text.push(u8::from(seed.is_plain()));
        text.extend(repetition.to_le_bytes());
        JobKey(Digest::of(&text))
    }
}

impl Display for JobKey {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Returns a spec without what differs between matches of the same kind, as JSON.
pub fn base_text(spec: &MatchSpec) -> String {
    let base = MatchSpec { seed: Seed(0), repetition: 0, seats: Vec::new(), ..spec.clone() };
    serde_json::to_string(&base).expect("a spec without seats can be written as JSON")
}

/// Returns a seat as JSON, whose digest stands for it in keys.
///
/// # Errors
/// If the bot is of this machine.
pub fn seat_text(seat: &Seat) -> Result<String, serde_json::Error> {
    serde_json::to_string(seat)
}
