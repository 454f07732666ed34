//! What all pages of an arena show at their top.

use super::{Phase, ZonedTime};

/// The end of something, and how the organiser writes it.
pub type Deadline = ZonedTime;

/// The head of all pages of an arena.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArenaHead {
    /// The arena's part of addresses: `autumn-2026`.
    pub slug: String,
    /// Its title.
    pub title: String,
    /// The name of its game.
    pub game: String,
    /// In which part of its life it is.
    pub phase: Phase,
    /// Until when authors can hand in.
    pub deadline: Option<Deadline>,
    /// How many bots play.
    pub bots: u64,
    /// How many matches were played.
    pub matches: u64,
    /// The slug of the viewer's own bot here.
    pub own_bot: Option<String>,
    /// Whether the viewer can hand in now, if need be after signing in.
    pub can_hand_in: bool,
    /// Whether there are published ratings.
    pub published: bool,
}
