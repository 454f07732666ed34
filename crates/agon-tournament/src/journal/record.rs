//! The lines of a tournament's journal: a header, and a record for each match that is over.

use agon_core::{FaultKind, Seed};
use agon_match::spec::PlayedOn;
use serde::{Deserialize, Serialize};

use crate::{Match, MatchId, Outcome};

/// The first line of a journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// What the file is: [`Header::KIND`].
    pub journal: String,
    /// The version of its format: [`Header::VERSION`].
    pub version: u32,
    /// The digest of the plan ([`crate::Plan::digest`]).
    pub plan: String,
}

impl Header {
    /// The value of `journal` in every journal.
    pub const KIND: &'static str = "agon-tournament";
    /// The version of the format that is written.
    pub const VERSION: u32 = 1;

    /// Makes the header for a plan with this digest.
    pub fn new(plan: &str) -> Header {
        Header { journal: Header::KIND.to_owned(), version: Header::VERSION, plan: plan.to_owned() }
    }
}

/// A match that is over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// Which match of the tournament.
    #[serde(rename = "match")]
    pub id: MatchId,
    /// What the result depends on ([`crate::MatchKey`]).
    pub key: String,
    /// Names of the bots, in order of seats.
    pub seats: Vec<String>,
    /// The seed.
    pub seed: Seed,
    /// Places in order of seats: 1 for the best, equal ones share a place.
    pub places: Vec<u32>,
    /// The game's scores, in order of seats.
    pub scores: Vec<i64>,
    /// Faults in order of seats.
    pub faults: Vec<Vec<SeatFault>>,
    /// How often the match was played before and was void.
    pub void: u32,
    /// How long it took, in milliseconds.
    pub ms: u64,
    /// The file name of its replay in the tournament's folder, if it was kept.
    pub replay: Option<String>,
    /// The other machine that has played it, if it was not the one that runs the tournament.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<PlayedOn>,
    /// Seats, from 0, whose bots forfeited the match. If there are any, it was not played.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forfeits: Vec<usize>,
}

/// What a bot did wrong in a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeatFault {
    /// What kind.
    pub kind: FaultKind,
    /// How often.
    pub count: u64,
    /// The first one in short.
    pub text: String,
    /// The step of the first one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<u64>,
    /// The end of what the bot had written to stderr by then, with invisible characters escaped.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub stderr: String,
}

impl SeatFault {
    /// The most bytes of [`SeatFault::stderr`].
    pub const MAX_STDERR: usize = 2000;

    /// Makes a fault of which only kind, number and text are known.
    pub fn new(kind: FaultKind, count: u64, text: impl Into<String>) -> SeatFault {
        SeatFault { kind, count, text: text.into(), step: None, stderr: String::new() }
    }
}

impl Record {
    /// Returns how the match ended.
    pub fn outcome(&self) -> Outcome {
        let forfeited = !self.forfeits.is_empty();
        Outcome { places: self.places.clone(), scores: self.scores.clone(), forfeited }
    }

    /// Returns the record of a match that is not played, because the bots of some seats forfeit
    /// it. All others share the first place.
    ///
    /// # Panics
    /// If nobody forfeits.
    pub fn forfeit(game: &Match, key: String, seats: Vec<String>, forfeits: Vec<usize>) -> Record {
        assert!(!forfeits.is_empty(), "a forfeit is somebody's");
        let present = u32::try_from(seats.len() - forfeits.len()).unwrap_or(u32::MAX - 1);
        let place = |seat| if forfeits.contains(&seat) { present + 1 } else { 1 };
        Record {
            id: game.id,
            key,
            seed: game.seed,
            places: (0..seats.len()).map(place).collect(),
            scores: vec![0; seats.len()],
            faults: vec![Vec::new(); seats.len()],
            void: 0,
            ms: 0,
            replay: None,
            machine: None,
            seats,
            forfeits,
        }
    }
}
