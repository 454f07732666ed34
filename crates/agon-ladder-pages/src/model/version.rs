//! The page of a version of a bot.

use super::{ArenaHead, BotRef, Examination, Log, Rating, Stage, Time, VersionState};

/// A source file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceFile {
    /// Its path in the bot's folder.
    pub path: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// Its text; `None` if it is not text, or too long.
    pub text: Option<String>,
}

/// The page of a version.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VersionPage {
    /// The arena.
    pub arena: ArenaHead,
    /// The bot; its `version` is the active one.
    pub bot: BotRef,
    /// The number of this version.
    pub number: u32,
    /// How far it is.
    pub state: VersionState,
    /// Whether it plays now.
    pub plays: bool,
    /// Whether its state will still change, so that the page polls.
    pub live: bool,
    /// Why it is in this state, in a sentence; may be empty.
    pub reason: String,
    /// What changed, in the author's words.
    pub message: String,
    /// When it was handed in.
    pub at: Time,
    /// How it was handed in: `editor`, `upload`, `shell`.
    pub way: String,
    /// Its language.
    pub language: String,
    /// The digest of its files.
    pub digest: String,
    /// The size of its files in bytes.
    pub bytes: u64,
    /// Its rating.
    pub rating: Option<Rating>,
    /// How many matches it played.
    pub matches: u64,
    /// Stages from hand-in to the first match.
    pub stages: Vec<Stage>,
    /// Output of the build.
    pub build: Option<Log>,
    /// The report of `agon check`.
    pub check: Vec<Examination>,
    /// The match of the check that the viewer shows: the address of a replay; may be empty.
    pub replay: String,
    /// Files; empty if the viewer must not see them.
    pub sources: Vec<SourceFile>,
    /// Whether the viewer may make it active.
    pub can_activate: bool,
}
