//! Reads match specs and match outcomes from JSON, and refuses unknown fields and wrong versions.
//!
//! Only tests use it so far. It is for programs that exchange specs with other machines.

use agon_core::Player;
use serde::de::DeserializeOwned;
use thiserror::Error;

use crate::spec::{MatchOutcome, MatchResult, MatchSpec, OUTCOME_VERSION, SpecError};

/// The most bytes of a spec or outcome.
pub const MAX_BYTES: usize = 16 << 20;

/// Why a text is no spec or outcome.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The text is not JSON of this form.
    #[error("{what}: {source}")]
    Json {
        /// What it should be.
        what: &'static str,
        /// What is wrong, with line and column.
        source: serde_json::Error,
    },
    /// There is more than this Agon understands.
    #[error("{what} has the unknown field `{}`", agon_core::text::escape(.path))]
    Unknown {
        /// What was read.
        what: &'static str,
        /// The path of the field.
        path: String,
    },
    /// The text is too long.
    #[error("{what} has {bytes} bytes, but may have {MAX_BYTES} at most")]
    TooLong {
        /// What was read.
        what: &'static str,
        /// Its length.
        bytes: usize,
    },
    /// The outcome has another form.
    #[error("the match outcome has version {0}, but this Agon reads version {OUTCOME_VERSION}")]
    Version(u32),
    /// The outcome contradicts itself about its players.
    #[error("`{key}` in the match outcome does not fit its {players} players")]
    Players {
        /// The path of the value.
        key: &'static str,
        /// The number of players.
        players: usize,
    },
    /// The spec cannot be played by this Agon.
    #[error(transparent)]
    Spec(#[from] SpecError),
}

impl MatchSpec {
    /// Reads a spec and checks it.
    ///
    /// # Errors
    /// If the text is no spec, has unknown fields, or cannot be played by this Agon.
    pub fn from_json(text: &[u8]) -> Result<MatchSpec, ReadError> {
        let spec: MatchSpec = read(text, "the match spec")?;
        spec.check()?;
        Ok(spec)
    }
}

impl MatchOutcome {
    /// Reads an outcome.
    ///
    /// # Errors
    /// If the text is no outcome, has unknown fields or another version, or names players who did
    /// not play.
    pub fn from_json(text: &[u8]) -> Result<MatchOutcome, ReadError> {
        let outcome: MatchOutcome = read(text, "the match outcome")?;
        if outcome.version != OUTCOME_VERSION {
            return Err(ReadError::Version(outcome.version));
        }
        check_players(&outcome.result)?;
        Ok(outcome)
    }
}

/// Checks that all players of a result are in its list, which readers take names from.
fn check_players(result: &MatchResult) -> Result<(), ReadError> {
    let players = result.players.len();
    let is_there = |player: &Player| player.index() < players;
    let mut winners = result.standing.outcome.iter().flat_map(|outcome| &outcome.winners);
    let checks = [
        ("result.standing.players", result.standing.players.len() == players),
        ("result.standing.outcome.winners", winners.all(is_there)),
        ("result.faults", result.faults.iter().all(|fault| is_there(&fault.player))),
    ];
    let wrong = checks.into_iter().find(|(_, fits)| !fits);
    wrong.map_or(Ok(()), |(key, _)| Err(ReadError::Players { key, players }))
}

/// Reads JSON in which every field is known, at any depth.
fn read<T: DeserializeOwned>(text: &[u8], what: &'static str) -> Result<T, ReadError> {
    let bytes = text.len();
    if bytes > MAX_BYTES {
        return Err(ReadError::TooLong { what, bytes });
    }
    let failed = |source| ReadError::Json { what, source };
    let mut deserializer = serde_json::Deserializer::from_slice(text);
    let mut unknown = None;
    let mut note = |path: serde_ignored::Path<'_>| {
        unknown.get_or_insert_with(|| path.to_string());
    };
    let value = serde_ignored::deserialize(&mut deserializer, &mut note).map_err(failed)?;
    deserializer.end().map_err(failed)?;
    unknown.map_or(Ok(value), |path| Err(ReadError::Unknown { what, path }))
}
