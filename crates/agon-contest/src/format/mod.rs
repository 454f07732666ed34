//! Formats of tournaments: they choose the next pairings from the results so far.
//!
//! The `[format]` of a plan names one, and the schedule asks it for one wave of pairings after the
//! other.
//!
//! Each is a small pure type: the same history leads to the same wave. So a tournament that was
//! killed and resumed, or played with another number of threads, has the same table.

mod bracket;
mod groups;
mod ladder;
mod round_robin;
mod swiss;
mod table;

use std::fmt::Debug;

pub use bracket::{Bracket, Ties, bracket_order};
pub use groups::{Groups, Within, snake};
pub use ladder::{AdaptiveMatchmaker, Field, Ladder, LadderRules, Matchmaker, RandomMatchmaker};
pub use round_robin::{Design, Gauntlet, RoundRobin, meetings};
pub use swiss::Swiss;
pub(crate) use table::points_text;

use crate::{Entrant, History, Pairing};

/// A way to run a tournament.
pub trait Format: Debug + Send {
    /// Returns what to play after a history whose waves are all complete. It depends on nothing
    /// else.
    fn next(&self, history: &History) -> Next;

    /// Returns the number of all matches, if it is known beforehand and none ends in a tie. Ties
    /// where somebody must be eliminated, and a second final, add to it.
    fn planned(&self) -> Option<u64>;

    /// Returns the table, best first; the last wave of the history may be incomplete.
    fn standing(&self, history: &History) -> Vec<Row>;
}

/// What comes next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// Pairings that can be played in any order; never empty.
    Wave(Vec<Pairing>),
    /// Nothing: the tournament is over.
    Finished,
}

impl Next {
    /// A wave, or the end if there is no pairing.
    fn wave(pairings: Vec<Pairing>) -> Next {
        if pairings.is_empty() { Next::Finished } else { Next::Wave(pairings) }
    }
}

/// An entrant's line in the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Who.
    pub entrant: Entrant,
    /// 1 for the best; equal ones share a place, and the next one is skipped.
    pub place: u32,
    /// Matches over.
    pub played: u32,
    /// Half points ([`crate::Outcome::half_points`]), byes included.
    pub half_points: u32,
    /// The tie-breaks between equal points, in order, such as `("Buchholz", 7)`, in half points.
    pub tie_breaks: Vec<(&'static str, i64)>,
    /// Why this place: "lost in the semi-final", "3½ points of 6".
    pub reason: String,
}
