//! A match outcome: what the arena returns of a match, as plain data.

use std::collections::BTreeMap;

use agon_replay::Void;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::spec::{Digest, MatchResult};

/// The version of [`MatchOutcome`]. Another form gets another number.
pub const OUTCOME_VERSION: u32 = 1;

/// A match that has been played.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MatchOutcome {
    /// The version of this form, [`OUTCOME_VERSION`].
    pub version: u32,
    /// The result with faults, and with the costs of bots that have processes. Never void, never
    /// interrupted.
    pub result: MatchResult,
    /// The replay, if one was recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay: Option<Digest>,
    /// Why earlier attempts were void.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub void: Vec<Void>,
    /// The versions of the runtimes that bots used, such as `python3`: `3.11.2`. The version is
    /// empty if the program does not report one.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub runtimes: BTreeMap<String, String>,
    /// How long the match took with the start of its bots, in milliseconds; without void attempts.
    pub ms: u64,
    /// The other machine that has played it; `None` if it was this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<PlayedOn>,
}

/// A machine that has played a match for another one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlayedOn {
    /// The name of the worker.
    pub worker: String,
    /// All limits in CPU time were multiplied by this percentage, because the machine has another
    /// speed than the one for which they are meant.
    pub scale: u32,
}
