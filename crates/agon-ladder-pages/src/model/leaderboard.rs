//! The leaderboard of an arena.

use super::{ArenaHead, ArenaLink, BotRef, BotState, Paging, Rating, Tally, Time};

/// Which table is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LeaderboardTab {
    /// Ratings that change with each match.
    #[default]
    Live,
    /// Ratings that were computed from all matches at once; `?tab=published`.
    Published,
}

/// A bot in the table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LeaderboardRow {
    /// Its rank, from 1; `None` as long as it owes matches or has not played.
    pub rank: Option<u64>,
    /// The best and the worst rank that results allow; published only.
    pub ranks: Option<(u64, u64)>,
    /// The bot, with its active version.
    pub bot: BotRef,
    /// Whether it belongs to the viewer.
    pub own: bool,
    /// Its rating; `None` before its first match.
    pub rating: Option<Rating>,
    /// How many matches it has to play before it has a rank.
    pub owed: u64,
    /// How many matches its active version played.
    pub matches: u64,
    /// Wins, ties and losses in pairs.
    pub tally: Tally,
    /// How many faults it made.
    pub faults: u64,
    /// The language it is written in.
    pub language: String,
    /// Its last ratings, oldest first; at most about 40.
    pub trend: Vec<f64>,
    /// How many bosses are certainly weaker.
    pub stars: usize,
}

/// A bot that does not play, and why.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Absentee {
    /// The bot.
    pub bot: BotRef,
    /// Why it does not play.
    pub state: BotState,
    /// Whether it belongs to the viewer.
    pub own: bool,
}

/// The leaderboard.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Leaderboard {
    /// The arena.
    pub arena: ArenaHead,
    /// Which table is shown.
    pub tab: LeaderboardTab,
    /// The arena in which its final is played.
    pub played_final: Option<ArenaLink>,
    /// The arena of whose season it is the final.
    pub season: Option<ArenaLink>,
    /// What decides ranks, in sentences.
    pub ranks: String,
    /// When the ratings were computed.
    pub as_of: Option<Time>,
    /// Best first.
    pub rows: Vec<LeaderboardRow>,
    /// Bots that do not play; on the last page.
    pub absent: Vec<Absentee>,
    /// What was searched for; empty if nothing.
    pub search: String,
    /// The page of the list.
    pub paging: Paging,
}
