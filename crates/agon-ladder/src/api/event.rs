//! The data of server-sent events.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::{Time, VersionState};

/// The event `table`: the live table has changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TableEvent {
    /// When it was computed.
    pub as_of: Time,
    /// How many matches count.
    pub matches: u64,
}

/// The event `match`: a match is over.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MatchEvent {
    /// Its number.
    pub number: u64,
}

/// The event `version`: a version of the caller's own bot has another state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct VersionEvent {
    /// The name of the bot in addresses.
    pub bot: String,
    /// The number of the version.
    pub number: u32,
    /// How far it is now.
    pub state: VersionState,
}

/// A line of `GET /arenas/{arena}/export?what=matches&format=jsonl`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExportedMatch {
    /// Its number in the arena.
    pub number: u64,
    /// What became of it.
    pub state: crate::api::MatchState,
    /// When it was planned.
    pub planned: Time,
    /// When it was over.
    pub played: Option<Time>,
    /// How long it took, in milliseconds.
    pub ms: Option<u64>,
    /// How many turns it had.
    pub turns: Option<u64>,
    /// The seed, a number of 64 bits.
    pub seed: String,
    /// Its seats, in order.
    pub seats: Vec<ExportedSeat>,
}

/// A seat of an exported match.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExportedSeat {
    /// The name of the bot in addresses; null if the server no longer has it.
    pub bot: Option<String>,
    /// The version that played.
    pub version: Option<u32>,
    /// The author; null for one of Agon's own bots.
    pub author: Option<String>,
    /// Its place, from 1. Equal places are ties.
    pub place: Option<u32>,
    /// How many faults it committed.
    pub faults: u64,
    /// The CPU time of all its decisions, in microseconds.
    pub cpu_us: Option<u64>,
    /// How many decisions it made.
    pub decisions: Option<u64>,
    /// Its live rating when the match ended.
    pub rating: Option<f64>,
}
