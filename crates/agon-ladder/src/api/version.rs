//! Versions of bots.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::{BotRef, Rating, Tally, Time};

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
