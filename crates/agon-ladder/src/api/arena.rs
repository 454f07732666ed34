//! Arenas, their tables, and results of pairs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::api::{BotRef, MatchSummary, Rating, Tally, Time};

/// In which part of its life an arena is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Nobody can hand in yet.
    Planned,
    /// Authors hand in, and matches are played.
    #[default]
    Open,
    /// An organiser has stopped matches for a while.
    Paused,
    /// The deadline has passed, and matches are still played.
    Frozen,
    /// No more matches are played.
    Over,
}

impl Phase {
    /// Returns the phase in a word or two.
    pub fn words(self) -> &'static str {
        match self {
            Phase::Planned => "not begun",
            Phase::Open => "open",
            Phase::Paused => "paused",
            Phase::Frozen => "last matches",
            Phase::Over => "over",
        }
    }
}

/// Who may read the sources of bots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Sources {
    /// Their authors and organisers.
    #[default]
    Secret,
    /// Everybody, after the season's end.
    After,
    /// Everybody.
    Open,
}

/// An arena in a list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ArenaSummary {
    /// Its id.
    pub id: i64,
    /// Its name in addresses.
    pub slug: String,
    /// Its title.
    pub title: String,
    /// The name of its game.
    pub game: String,
    /// In which part of its life it is.
    pub phase: Phase,
    /// Until when authors can hand in.
    pub deadline: Option<Time>,
    /// How many bots play.
    pub bots: u64,
    /// How many matches count.
    pub matches: u64,
    /// Whether there is a published table.
    pub published: bool,
    /// The name in addresses of the caller's own bot here.
    pub own_bot: Option<String>,
}

/// An arena.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Arena {
    /// What lists show of it.
    #[serde(flatten)]
    pub summary: ArenaSummary,
    /// What the organisers say about it; may be empty.
    pub about: String,
    /// What the game is about, in a sentence.
    pub game_summary: String,
    /// The version of the game's rules.
    pub rules_version: u32,
    /// The preset that the settings come from.
    pub preset: String,
    /// All settings of the game.
    pub settings: Vec<Setting>,
    /// How many bots meet in a match.
    pub players: u32,
    /// The limits of bots and hand-ins.
    pub limits: Limits,
    /// When people can hand in, and when matches are played.
    pub season: Season,
    /// The languages of starter kits that can be handed in.
    pub languages: Vec<Language>,
    /// Agon's own bots that play along.
    pub bosses: Vec<BotRef>,
    /// Who may read the sources of bots.
    pub sources: Sources,
    /// What decides ranks.
    #[serde(default = "Ranks::unsaid")]
    pub ranks: Ranks,
    /// How many versions the caller can still hand in; null for those who cannot hand in.
    pub quota: Option<Quota>,
    /// The final after the season; null if there is none.
    #[serde(rename = "final", default)]
    pub finals: Option<Final>,
    /// The name in addresses of the arena whose final this is; null for other arenas.
    #[serde(default)]
    pub final_of: Option<String>,
    /// When it was made.
    pub created: Time,
}

/// A setting of a game.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Setting {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: Value,
    /// What it means; may be empty.
    pub meaning: String,
}

impl Setting {
    /// Returns the value as people read it.
    pub fn shown(&self) -> String {
        match &self.value {
            Value::String(text) => text.clone(),
            Value::Null => "none".to_owned(),
            other => other.to_string(),
        }
    }
}

/// The limits of bots and hand-ins.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Limits {
    /// The CPU time for an answer in milliseconds; null for the game's own limit.
    pub time_ms: Option<u64>,
    /// After so many timeouts in a row, a bot is out of the match; null for no such limit.
    pub strikes: Option<u64>,
    /// The memory of a bot with all its processes in MiB; null for the server's own limit.
    pub memory_mib: Option<u64>,
    /// Whether matches are played only where bots can be confined fully.
    #[serde(default)]
    pub strict_sandbox: bool,
    /// After so many turns, a match ends; null for the game's own limit.
    pub max_turns: Option<u64>,
    /// How many versions an author may hand in within 24 hours.
    pub versions_per_day: u32,
    /// The most bytes of a version's files, unpacked.
    pub bytes: u64,
    /// The most files of a version.
    pub files: u32,
}

/// When people can hand in, and when matches are played.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Season {
    /// Before it, nobody can hand in, and nothing is played.
    pub begin: Option<Time>,
    /// After it, nobody can hand in. A hand-in that began before counts.
    pub deadline: Option<Time>,
    /// After it, nothing is played.
    pub freeze: Option<Time>,
    /// Whether an organiser has stopped matches for a while.
    pub paused: bool,
}

/// A language that can be handed in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Language {
    /// The name of its starter kit, for `agon new`.
    pub id: String,
    /// Its name.
    pub name: String,
    /// The line that builds a bot; null if nothing is built.
    pub build: Option<String>,
}

/// How many versions the caller can still hand in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Quota {
    /// How many are left.
    pub left: u32,
    /// How many there are within 24 hours.
    pub per_day: u32,
    /// Why nothing can be handed in at all, in a sentence; null if it can.
    pub closed: Option<String>,
    /// The caller's own deadline, if it is not that of the arena.
    #[serde(default)]
    pub until: Option<Time>,
}

/// An author with a later deadline than others.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Extension {
    /// The author's name for signing in.
    pub name: String,
    /// Until when this author can hand in.
    pub until: Time,
}

/// Gives an author a later deadline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExtensionRequest {
    /// The author's name for signing in.
    #[schemars(length(min = 1, max = 64))]
    pub name: String,
    /// Until when, in seconds since 1970 (UTC); null for the deadline of all.
    #[schemars(range(max = 253_402_300_799_i64))]
    pub until: Option<u64>,
}

/// How far a final is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FinalState {
    /// It comes after the season. Authors can reveal their nonces after the deadline.
    #[default]
    Promised,
    /// The versions are fixed, and its seed is computed.
    Drawing,
    /// It is played in another arena.
    Played,
}

/// A final: everybody meets everybody, with versions that cannot change any more.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Final {
    /// How far it is.
    pub state: FinalState,
    /// How often those meet who play together.
    pub games: u32,
    /// How many bots of authors it has at most.
    pub most: u32,
    /// How many hashes make its seed.
    pub steps: u64,
    /// The digest of the server's secret.
    pub pledge: String,
    /// Whether authors can reveal their nonces now: the last deadline has passed, and the versions
    /// are not fixed yet.
    pub takes_nonces: bool,
    /// The name in addresses of the arena in which it is played; null before.
    pub played_in: Option<String>,
}

/// Reveals the nonce whose digest came with the caller's version that plays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NonceRequest {
    /// The nonce: 64 hexadecimal digits in lower case.
    #[schemars(regex(pattern = r"^[0-9a-f]{64}$"))]
    pub nonce: String,
}

/// Which table is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TableKind {
    /// The table that follows the matches.
    #[default]
    Live,
    /// The table that is published from time to time, with ranges of ranks.
    Published,
}

/// Which number of a rating decides ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RankedBy {
    /// The lower end of its 95 % interval.
    LowerEnd,
    /// The rating itself.
    Rating,
}

impl RankedBy {
    /// Returns how many matches a version has to play before it has a rank, if nobody chooses.
    pub fn least(self) -> u32 {
        match self {
            RankedBy::LowerEnd => 10,
            // Nothing else keeps luck out.
            RankedBy::Rating => 50,
        }
    }
}

/// What decides the ranks of an arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Ranks {
    /// Which number of a rating.
    pub by: RankedBy,
    /// How many matches a version has to play before it has a rank, and again each time it plays
    /// after a pause or after another version.
    pub least: u32,
}

impl Default for Ranks {
    fn default() -> Ranks {
        Ranks { by: RankedBy::LowerEnd, least: RankedBy::LowerEnd.least() }
    }
}

impl Ranks {
    /// Returns what decided ranks before anybody could choose.
    pub fn unsaid() -> Ranks {
        Ranks { by: RankedBy::Rating, least: 0 }
    }
}

/// A page of a table: bots that play. Those with a rank come first, the best one before all; then
/// those that have played; then those that have not.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Leaderboard {
    /// Which table it is.
    pub table: TableKind,
    /// What decides ranks.
    #[serde(default = "Ranks::unsaid")]
    pub ranks: Ranks,
    /// When it was computed; null if nothing was published yet.
    pub as_of: Option<Time>,
    /// How many bots are in the whole table.
    pub total: u64,
    /// The rows of this page.
    pub items: Vec<LeaderboardRow>,
    /// The `cursor` of the next page; null on the last one.
    pub next: Option<String>,
}

/// A row of a table.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LeaderboardRow {
    /// The rank, from 1; null as long as matches are owed, and before the first match. Equal bots
    /// share a rank, as in 1, 2, 2, 4.
    pub rank: Option<u64>,
    /// How many matches it has to play before it has a rank.
    #[serde(default)]
    pub owed: u64,
    /// The ranks that the results allow, if that is more than one; only in published tables.
    pub ranks: Option<RankRange>,
    /// The bot, with its active version.
    pub bot: BotRef,
    /// Its rating; null before its first match.
    pub rating: Option<Rating>,
    /// How many matches it has played.
    pub matches: u64,
    /// Its results.
    pub tally: Tally,
    /// In how many matches it committed a fault.
    pub faults: u64,
    /// Its language.
    pub language: String,
    /// Whether it belongs to the caller.
    pub own: bool,
}

/// A range of ranks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RankRange {
    /// The best one.
    pub best: u64,
    /// The worst one.
    pub worst: u64,
}

/// What organisers get when they publish a table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PublishedTable {
    /// When the table was computed; null if no match counts yet.
    pub as_of: Option<Time>,
    /// How many matches it is made of.
    pub matches: u64,
}

/// The results of two bots against each other.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HeadToHead {
    /// The first bot, with the version meant.
    pub a: BotRef,
    /// The second bot, with the version meant.
    pub b: BotRef,
    /// The results, seen from the first one.
    pub tally: Tally,
    /// Their latest matches, the last one first; 20 at most.
    pub matches: Vec<MatchSummary>,
}

/// A bot that gets much less against another one than all other results say.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LopsidedPair {
    /// The bot that loses.
    pub loser: BotRef,
    /// The bot that wins.
    pub winner: BotRef,
    /// The results of their versions that play, seen from the loser.
    pub tally: Tally,
    /// The points that the loser should have by all other results: a win is one, a tie half of one.
    pub expected: f64,
    /// About the probability that any pair of an honest field is as far off.
    pub chance: f64,
}

/// The results of the best bots against each other.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Matrix {
    /// The bots, the best one first; 30 at most.
    pub bots: Vec<BotRef>,
    /// For each bot a row with its results against each bot; null if they have not met.
    pub rows: Vec<Vec<Option<Tally>>>,
    /// How many bots are left out.
    pub left_out: u64,
}
