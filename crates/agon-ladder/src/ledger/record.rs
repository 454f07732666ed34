//! What a replay says of a match, whoever looks at the file.

use agon_match::spec::Digest;
use agon_replay::{Damage, Replay};

/// Returns the digest of what a replay says of its match: rules, seed, answers, states, result.
///
/// It leaves out what a server shows to some people only ([`Replay::redacted`]), and the names of
/// the bots, which are others for people ([`Replay::renamed`]).
///
/// # Errors
/// If the replay is damaged.
pub fn record_digest(replay: &Replay) -> Result<Digest, Damage> {
    Ok(Digest::of(&replay.record()?))
}
