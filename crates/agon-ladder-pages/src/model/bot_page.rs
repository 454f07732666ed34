//! The page of a bot.

use super::{
    ArenaHead, BotRef, BotState, FaultCount, Log, MatchRow, Milestone, Opponent, Rating, Tally,
    Time, VersionState,
};

/// A rating at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct HistoryPoint {
    /// When.
    pub at: Time,
    /// The rating.
    pub elo: f64,
    /// The version that had it.
    pub version: u32,
}

/// A version in the list of a bot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VersionRow {
    /// Its number.
    pub number: u32,
    /// How far it is.
    pub state: VersionState,
    /// Whether it plays now.
    pub active: bool,
    /// When it was handed in.
    pub at: Time,
    /// What changed, in the author's words.
    pub message: String,
    /// Its language.
    pub language: String,
    /// Its rating, the last one if it no longer plays.
    pub rating: Option<Rating>,
    /// How many matches it played.
    pub matches: u64,
}

/// What decisions cost.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// What was measured: `v7, all matches of today`.
    pub what: String,
    /// How many decisions.
    pub decisions: u64,
    /// The median, in microseconds.
    pub median: u64,
    /// The 99th percentile, in microseconds.
    pub slow: u64,
    /// The slowest one, in microseconds.
    pub slowest: u64,
    /// The time limit of a decision, in microseconds; 0 if there is none.
    pub limit: u64,
    /// The most memory, in bytes.
    pub memory: Option<u64>,
}

/// An answer to "Is version a better than version b?".
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparison {
    /// The first version.
    pub a: u32,
    /// The second version.
    pub b: u32,
    /// The answer so far: `v7 is better`, `undecided`.
    pub verdict: String,
    /// Results, seen from the first one.
    pub tally: Tally,
    /// How many points a is ahead, with an interval.
    pub difference: Option<Rating>,
    /// Whether matches are still played.
    pub running: bool,
    /// When it was asked for.
    pub at: Time,
}

/// What only the author and organisers see.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OwnBot {
    /// Why the bot does not play at this moment, in a sentence, even if nothing is wrong.
    pub waiting: Option<String>,
    /// What decisions cost.
    pub costs: Vec<Cost>,
    /// Output of the last matches.
    pub logs: Vec<Log>,
    /// Comparisons, newest first.
    pub comparisons: Vec<Comparison>,
    /// Whether the viewer may change the bot: the author and organisers.
    pub can_change: bool,
    /// Whether the viewer may make another version active.
    pub can_activate: bool,
    /// Whether the viewer may let the bot play again if it is paused: not its author if an
    /// organiser paused it.
    pub can_resume: bool,
    /// Whether the viewer, an organiser, may pause a bot that somebody else paused, so that only
    /// organisers let it play again.
    pub can_hold: bool,
    /// Why nothing of it can be changed any more, in a sentence.
    pub fixed: Option<String>,
}

/// The page of a bot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BotPage {
    /// The arena.
    pub arena: ArenaHead,
    /// The bot, with its active version.
    pub bot: BotRef,
    /// Its language.
    pub language: String,
    /// What it says about itself, or what the boss does; may be empty.
    pub about: String,
    /// Whether it plays.
    pub state: BotState,
    /// Its rank of how many.
    pub rank: Option<(u64, u64)>,
    /// How many matches it has to play before it has a rank.
    pub owed: u64,
    /// Its rating; `None` before its first match.
    pub rating: Option<Rating>,
    /// How many matches the active version played.
    pub matches: u64,
    /// Results of the active version.
    pub tally: Tally,
    /// Ratings over time, oldest first; at most about 400.
    pub history: Vec<HistoryPoint>,
    /// Versions, newest first.
    pub versions: Vec<VersionRow>,
    /// Opponents: those met most often first.
    pub opponents: Vec<Opponent>,
    /// Its latest matches, newest first.
    pub latest: Vec<MatchRow>,
    /// Faults of the active version in its latest matches, by kind.
    pub faults: Vec<FaultCount>,
    /// How many of these matches there are.
    pub faults_among: u64,
    /// The arena's bosses, the weakest first, and whether the bot is certainly stronger.
    pub milestones: Vec<Milestone>,
    /// What only the author and organisers see.
    pub own: Option<OwnBot>,
}
