//! Bots and their versions.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::Time;

/// A bot, as lists name it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BotRef {
    /// Its name in addresses.
    pub slug: String,
    /// Its name.
    pub name: String,
    /// The version meant: the active one, or the one that played; null if there is none.
    pub version: Option<u32>,
    /// The name of its author; null for one of Agon's own bots.
    pub author: Option<String>,
    /// Whether it is one of Agon's own bots, which play along.
    pub boss: bool,
}

/// A rating in Elo points, with its 95 % interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Rating {
    /// The best estimate.
    pub elo: f64,
    /// The lower end of the interval; null if no result bounds it.
    pub low: Option<f64>,
    /// The upper end of the interval; null if no result bounds it.
    pub high: Option<f64>,
}

/// Results. In a match of more than two, each pair counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tally {
    /// Matches won.
    pub wins: u64,
    /// Matches tied.
    pub ties: u64,
    /// Matches lost.
    pub losses: u64,
}

impl Tally {
    /// Returns the number of all matches.
    pub fn total(self) -> u64 {
        self.wins.saturating_add(self.ties).saturating_add(self.losses)
    }
}

impl From<[u64; 3]> for Tally {
    /// Takes wins, ties and losses.
    fn from([wins, ties, losses]: [u64; 3]) -> Tally {
        Tally { wins, ties, losses }
    }
}

/// Whether a bot plays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BotState {
    /// It plays.
    #[default]
    Playing,
    /// None of its versions is ready.
    NoVersion,
    /// Its author paused it, or the server did because it kept failing.
    Paused,
    /// An organiser disqualified it.
    Disqualified,
}

/// A bot in a list.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BotSummary {
    /// Its id.
    pub id: i64,
    /// The bot, with its active version.
    #[serde(flatten)]
    pub bot: BotRef,
    /// Whether it plays.
    pub state: BotState,
    /// Why it does not play; null if it does.
    pub reason: Option<String>,
    /// Its rank in the live table, from 1; null if it does not play, owes matches or has not
    /// played. Equal bots share a rank.
    pub rank: Option<u64>,
    /// How many matches the active version has to play before it has a rank.
    #[serde(default)]
    pub owed: u64,
    /// The live rating of its active version; null before its first match.
    pub rating: Option<Rating>,
    /// How many matches the active version has played.
    pub matches: u64,
    /// The results of the active version.
    pub tally: Tally,
    /// In how many matches the active version committed a fault.
    pub faults: u64,
    /// The language of the active version; null if there is none.
    pub language: Option<String>,
    /// When its first version was handed in.
    pub created: Time,
    /// Whether it belongs to the caller.
    pub own: bool,
}

/// A bot.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Bot {
    /// What lists show of it.
    #[serde(flatten)]
    pub summary: BotSummary,
    /// Why it does not play at this moment, and what to do, in sentences; for its author and
    /// organisers. Null for others, and if it plays.
    pub waiting: Option<String>,
    /// The results of the active version against each opponent, those met most often first; 40 at
    /// most.
    pub opponents: Vec<Opponent>,
    /// The arena's bosses, the weakest first; none for a boss.
    #[serde(default)]
    pub milestones: Vec<Milestone>,
    /// The faults of the active version in its last 20 matches.
    pub fault_kinds: Vec<FaultCount>,
    /// What decisions cost in the last 20 matches, for its author and organisers.
    pub cost: Option<BotCost>,
}

/// A boss as a milestone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Milestone {
    /// The boss.
    pub boss: BotRef,
    /// Whether the bot is certainly stronger: the lower end of its live rating is above the rating
    /// of the boss.
    pub reached: bool,
}

/// Results against an opponent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Opponent {
    /// The opponent with the version that played.
    pub bot: BotRef,
    /// The opponent's live rating.
    pub elo: Option<f64>,
    /// The results, seen from the bot.
    pub tally: Tally,
}

/// How often a kind of fault was there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FaultCount {
    /// The kind in words: `did not answer in time`.
    pub kind: String,
    /// How often.
    pub count: u64,
    /// A match with one of them, if the faults are of several matches.
    #[serde(default)]
    pub example: Option<u64>,
}

/// What decisions of a bot cost in several matches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BotCost {
    /// In how many matches it was measured.
    #[serde(default)]
    pub matches: u64,
    /// How many decisions.
    pub decisions: u64,
    /// The median of the CPU time of a decision, in microseconds.
    pub median_us: u64,
    /// Its 99th percentile, in microseconds.
    pub p99_us: u64,
    /// The most, in microseconds.
    pub max_us: u64,
    /// The most memory, in bytes; null if nobody measured.
    pub memory_bytes: Option<u64>,
}

/// A rating at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RatingPoint {
    /// When.
    pub at: Time,
    /// The version that had it.
    pub version: u32,
    /// The live rating after the match.
    pub elo: f64,
}

/// Whether one version of a bot is better than another.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Comparison {
    /// Its id.
    pub id: i64,
    /// The first version.
    pub a: u32,
    /// The second version.
    pub b: u32,
    /// The answer so far: `v5 is better than v4`, `undecided`.
    pub verdict: String,
    /// Whether matches are still played.
    pub running: bool,
    /// The results, seen from the first version.
    pub tally: Tally,
    /// How many Elo points the first version is ahead; null before the first result.
    pub difference: Option<Rating>,
    /// When it was asked for.
    pub created: Time,
}

/// Asks whether version `a` is better than version `b`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CompareRequest {
    /// The first version.
    pub a: u32,
    /// The second version.
    pub b: u32,
}

/// Chooses the version that plays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ActivateRequest {
    /// The number of the version.
    pub version: u32,
}

/// Gives a bot another name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RenameRequest {
    /// The new name.
    #[schemars(length(min = 1, max = 40))]
    pub name: String,
}

/// Says why something is done.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReasonRequest {
    /// The reason; may be empty.
    #[serde(default)]
    #[schemars(length(max = 500))]
    pub reason: String,
}

/// How far a version is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum VersionState {
    /// It waits for its build.
    #[default]
    Queued,
    /// It is being built.
    Building,
    /// It is being examined.
    Checking,
    /// It can play.
    Ready,
    /// It could not be built, or did not pass the examination.
    Failed,
    /// It has played, and another version plays now.
    Retired,
}

impl VersionState {
    /// Returns whether it will change by itself.
    pub fn is_open(self) -> bool {
        matches!(self, VersionState::Queued | VersionState::Building | VersionState::Checking)
    }

    /// Returns the name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            VersionState::Queued => "queued",
            VersionState::Building => "building",
            VersionState::Checking => "checking",
            VersionState::Ready => "ready",
            VersionState::Failed => "failed",
            VersionState::Retired => "retired",
        }
    }
}

/// A version in a list.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct VersionSummary {
    /// Its id.
    pub id: i64,
    /// Its number, from 1.
    pub number: u32,
    /// How far it is.
    pub state: VersionState,
    /// Whether it is the one that plays.
    pub active: bool,
    /// When it was handed in.
    pub created: Time,
    /// What changed, in the author's words.
    pub message: String,
    /// Its language.
    pub language: String,
    /// Its live rating, the last one if it no longer plays; null before its first match.
    pub rating: Option<Rating>,
    /// How many matches it has played.
    pub matches: u64,
    /// Its results.
    pub tally: Tally,
    /// In how many matches it committed a fault.
    pub faults: u64,
}

/// A version.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Version {
    /// What lists show of it.
    #[serde(flatten)]
    pub summary: VersionSummary,
    /// The name of its arena in addresses.
    pub arena: String,
    /// The bot, with this version.
    pub bot: BotRef,
    /// The address of its page, for browsers.
    pub page: String,
    /// The digest of its files as they were handed in; null for a built-in bot.
    pub digest: Option<String>,
    /// What building and checking found, for its author and organisers; null for others, and
    /// until it is there.
    pub report: Option<Report>,
    /// The stages from the hand-in to the first match.
    pub stages: Vec<Stage>,
    /// Whether the caller may read its files.
    pub source: bool,
    /// In the reply to a hand-in: whether these are the files of an earlier version. Then this is
    /// that version, which plays again, and there is no new one.
    #[serde(default)]
    pub same_files: bool,
}

/// What building and checking a version found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Report {
    /// Why it cannot play, in a sentence; null if it can.
    pub reason: Option<String>,
    /// What the build wrote, if it failed: its end.
    pub output: String,
    /// The examinations of `agon check`.
    pub examinations: Vec<Examination>,
    /// How long building and checking took, in milliseconds.
    pub ms: u64,
}

/// How an examination went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExaminationStatus {
    /// No problem was found.
    Passed,
    /// Something may lose matches.
    Warning,
    /// Something is wrong.
    Failed,
    /// There was nothing to examine.
    #[default]
    NotApplicable,
}

/// An examination of `agon check`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Examination {
    /// Its number, from 1.
    pub number: u8,
    /// What it is about: `first answer`.
    pub topic: String,
    /// How it went.
    pub status: ExaminationStatus,
    /// What was found, in a sentence with code in backticks.
    pub found: String,
    /// What a compiler or the bot wrote about it; may be empty.
    pub output: String,
    /// What to do about it.
    pub remedy: Option<String>,
}

/// How far a stage is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StageState {
    /// It has not begun.
    #[default]
    Waiting,
    /// It runs.
    Running,
    /// It is done.
    Done,
    /// It failed.
    Failed,
    /// It was not needed.
    Skipped,
}

/// A stage from the hand-in to the first match.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Stage {
    /// Its name: `build`, `check`.
    pub name: String,
    /// How far it is.
    pub state: StageState,
    /// How long it took or has taken so far, in milliseconds.
    pub ms: Option<u64>,
    /// More about it; may be empty.
    pub note: String,
}
