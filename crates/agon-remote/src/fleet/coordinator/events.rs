//! What a coordinator learns, and what it wants done.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::speeds::Speeds;
use crate::fleet::JobKey;

/// The number of a batch, which is used once in a run.
pub type BatchId = u64;

/// What a coordinator learns.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A match is to be played. The class is a number that its user gives to each class.
    Submit {
        /// The match.
        key: JobKey,
        /// Its class.
        class: u32,
    },
    /// Nothing more is submitted at the moment: what waits may travel.
    Flush,
    /// No match begins any more: those that no worker has yet are over.
    Stop,
    /// A match is not wanted any more.
    GiveUp {
        /// The match.
        key: JobKey,
    },
    /// A worker lives.
    Beat(Beat),
    /// A worker has played matches; of this run or of an earlier one.
    Results {
        /// Who has played them.
        worker: String,
        /// The matches.
        results: Vec<Result>,
    },
    /// A worker has played a match, but its result was lost, as one that is too large for the
    /// carrier. Nobody is to blame, but it must not go on for ever.
    ResultLost {
        /// The match.
        key: JobKey,
    },
    /// The carrier has a batch, at a place by which it can be found.
    Carried {
        /// The batch.
        batch: BatchId,
        /// Its place.
        place: u64,
    },
    /// The carrier has not taken a batch.
    Refused {
        /// The batch.
        batch: BatchId,
    },
    /// The answer to [`Command::Look`].
    Found {
        /// The batch.
        batch: BatchId,
        /// Whether the carrier still has it.
        is_there: bool,
    },
    /// How fast workers are.
    Speeds {
        /// The workers that can play a class, for each class. In a class without an entry,
        /// all workers get all matches.
        by_class: BTreeMap<u32, Speeds>,
    },
    /// The coordinator could hear nobody for a while, and hears them again.
    Back,
    /// Time has passed.
    Tick,
}

/// A worker tells that it lives, and what it has of this run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Beat {
    /// Its name.
    pub worker: String,
    /// How many matches it plays at a time.
    pub slots: u32,
    /// The batches that it has.
    pub held: Vec<Held>,
    /// Batches that it had and gives back, without having begun what is not over.
    pub returned: Vec<Held>,
}

/// A batch that a worker has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Held {
    /// The batch.
    pub batch: BatchId,
    /// How often the carrier has delivered it, from 1.
    pub delivery: u32,
}

/// A match that a worker is done with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Result {
    /// The match.
    pub key: JobKey,
    /// What came of it.
    pub verdict: Verdict,
    /// How long it took, in microseconds.
    pub us: u64,
}

/// What came of a match on a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It has an outcome, or an error that it would have everywhere.
    Over,
    /// The worker could not play it; another one may.
    Lacking,
}

/// The most workers that are named as those that had a match.
const MOST_NAMES: usize = 8;

/// Why a match is given up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// How often it was lost or could not be played.
    pub times: u32,
    /// The first workers that had it, in this order, each once.
    pub workers: Vec<String>,
}

impl Loss {
    /// Counts a worker that was lost. Of several matches in a batch only one can be the reason, so
    /// that each of them is suspected, but no more.
    pub(super) fn count(&mut self, worker: &str, is_alone: bool) {
        let is_known = self.workers.iter().any(|known| known == worker);
        self.times = if is_alone { self.times + 1 } else { self.times.max(1) };
        if !is_known && self.workers.len() < MOST_NAMES {
            self.workers.push(worker.to_owned());
        }
    }
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Give a batch to the carrier.
    Publish {
        /// The batch.
        batch: BatchId,
        /// The class of its matches.
        class: u32,
        /// Workers that must not have it: they have kept matches and brought no results.
        avoid: Vec<String>,
        /// Only workers of at least this speed should have it; 0 for all.
        least_speed: u32,
        /// The matches.
        jobs: Vec<JobKey>,
    },
    /// Look whether the carrier still has a batch.
    Look {
        /// The batch.
        batch: BatchId,
        /// Where it was.
        place: u64,
    },
    /// Take a batch out of the carrier, if it is still there.
    Remove {
        /// The batch.
        batch: BatchId,
        /// Where it was.
        place: u64,
    },
    /// A match is over: its first result came with this event.
    Deliver {
        /// The match.
        key: JobKey,
    },
    /// A worker gets no more matches, until it brings a result: it has kept some for far longer
    /// than others needed.
    Avoid {
        /// The worker.
        worker: String,
    },
    /// A match is given up: workers that had it were lost, again and again.
    Quarantine {
        /// The match.
        key: JobKey,
        /// What is known of it.
        loss: Loss,
    },
    /// A match has not begun, and will not.
    Withdraw {
        /// The match.
        key: JobKey,
    },
}
