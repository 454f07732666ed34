//! Matches, and the data of server-sent events.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::{BotRef, FaultCount, Time, VersionState};

/// What became of a match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MatchState {
    /// It counts.
    #[default]
    Played,
    /// It is planned or being played.
    Running,
    /// It could not be played, through no fault of a bot. It does not count.
    Void,
    /// An organiser annulled it. It does not count any more.
    Annulled,
}

/// A match in a list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MatchSummary {
    /// Its number in the arena, from 1.
    pub number: u64,
    /// What became of it.
    pub state: MatchState,
    /// Why it is void or annulled; null otherwise.
    pub reason: Option<String>,
    /// When it was planned.
    pub planned: Time,
    /// When it was over.
    pub played: Option<Time>,
    /// How many turns it had.
    pub turns: Option<u64>,
    /// Its seats, in order.
    pub seats: Vec<SeatSummary>,
}

/// A seat of a match in a list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SeatSummary {
    /// The bot, with the version that played; null if the server no longer has it.
    pub bot: Option<BotRef>,
    /// Its place, from 1. Equal places are ties.
    pub place: Option<u32>,
    /// How many faults it committed.
    pub faults: u64,
}

/// A match.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Match {
    /// Its number in the arena, from 1.
    pub number: u64,
    /// What became of it.
    pub state: MatchState,
    /// Why it is void or annulled; null otherwise.
    pub reason: Option<String>,
    /// When it was planned.
    pub planned: Time,
    /// When it was over.
    pub played: Option<Time>,
    /// How long it took, in milliseconds.
    pub ms: Option<u64>,
    /// How many turns it had.
    pub turns: Option<u64>,
    /// The seed, a number of 64 bits; null until the match is over.
    pub seed: Option<String>,
    /// How it ended: `most cells after 500 turns`.
    pub ending: Option<String>,
    /// How often it was void and played again.
    pub void_tries: u64,
    /// The hash of the last state, which the replay proves.
    pub state_hash: Option<String>,
    /// The machine that played it; null if that was the server itself.
    pub machine: Option<Machine>,
    /// Its seats, in order.
    pub seats: Vec<Seat>,
    /// The first faults of each kind and seat.
    pub faults: Vec<Fault>,
    /// How many faults are not in the list.
    pub more_faults: u64,
    /// Whether there is a replay.
    pub replay: bool,
    /// The address of its page, for browsers.
    pub page: String,
}

/// A machine that has played a match for the server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Machine {
    /// The name of the worker.
    pub worker: String,
    /// The limits in CPU time were so many percent of the arena's, because it has another speed.
    pub limits_percent: u32,
}

/// A seat of a match.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Seat {
    /// Its number, from 0.
    pub seat: u32,
    /// The bot, with the version that played; null if the server no longer has it.
    pub bot: Option<BotRef>,
    /// Whether the bot belongs to the caller.
    pub own: bool,
    /// Its place, from 1. Equal places are ties.
    pub place: Option<u32>,
    /// Its faults by kind.
    pub faults: Vec<FaultCount>,
    /// The CPU time of all its decisions, in microseconds; null if nobody measured.
    pub cpu_us: Option<u64>,
    /// How many decisions it made.
    pub decisions: Option<u64>,
    /// Its live rating when the match ended.
    pub rating: Option<f64>,
    /// What its decisions cost, for its author and organisers.
    pub cost: Option<SeatCost>,
}

/// What the decisions of a seat cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SeatCost {
    /// The median of the CPU time of a decision, in nanoseconds.
    pub median_ns: u64,
    /// Its 99th percentile, in nanoseconds.
    pub p99_ns: u64,
    /// The most, in nanoseconds.
    pub max_ns: u64,
    /// The most memory, in bytes; null if nobody measured.
    pub memory_bytes: Option<u64>,
}

/// A fault of a bot.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Fault {
    /// The step of the match, from 0.
    pub step: u64,
    /// The seat, from 0.
    pub seat: u32,
    /// The kind in words: `did not answer in time`.
    pub kind: String,
    /// What was expected and what came, in a sentence.
    pub detail: String,
    /// How many faults of this kind there were in the step.
    pub count: u64,
    /// What the bot wrote and how it ended, for its author and organisers.
    pub evidence: Option<String>,
}

/// What a bot of a match wrote to stderr.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MatchLog {
    /// The seat, from 0.
    pub seat: u32,
    /// The bot, with the version that played; null if the server no longer has it.
    pub bot: Option<BotRef>,
    /// The last 16 KiB of its output.
    pub text: String,
}

/// What playing a match again from its recorded answers found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MatchCheck {
    /// Whether every state and the result are those that were recorded.
    pub proven: bool,
    /// What differs, in a sentence; null if nothing does.
    pub problem: Option<String>,
}

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
    pub state: MatchState,
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
