//! The lines of a tournament's journal: a header, and a record for each match that is over.

use agon_core::{FaultKind, Seed};
use serde::{Deserialize, Serialize};

use crate::{MatchId, Outcome};

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
}

impl Record {
    /// Returns how the match ended.
    pub fn outcome(&self) -> Outcome {
        Outcome { places: self.places.clone(), scores: self.scores.clone() }
    }
}
