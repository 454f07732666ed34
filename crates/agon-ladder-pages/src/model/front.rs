//! The front page.

use super::{ArenaHead, BotRef, MatchRow};

/// An arena on the front page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArenaCard {
    /// The arena.
    pub arena: ArenaHead,
    /// What it is about, in a sentence.
    pub about: String,
    /// The best bots, best first, each with its rank on the leaderboard.
    pub leaders: Vec<(u64, BotRef)>,
}

/// The front page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Front {
    /// What the organisers say to visitors, in paragraphs; empty for a standard text.
    pub welcome: String,
    /// Arenas: open ones first.
    pub arenas: Vec<ArenaCard>,
    /// Matches just played, newest first.
    pub latest: Vec<MatchRow>,
    /// A match that the page plays: its arena's part of addresses, and its number.
    pub watched: Option<(String, u64)>,
}
