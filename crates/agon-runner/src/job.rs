//! Matches to be played, and their results.

use std::{sync::Arc, time::Duration};

use agon_core::Seed;
use agon_match::MatchResult;

use crate::BotEntry;

/// A match to be played.
#[derive(Clone, Debug)]
pub struct Job {
    /// The job source's own number for it.
    pub ticket: u64,
    /// Its seed.
    pub seed: Seed,
    /// Who plays, in order of player number; with different names.
    pub seats: Vec<Arc<BotEntry>>,
    /// Whether a replay is wanted.
    pub record: bool,
}

/// A match that is over.
#[derive(Clone, Debug)]
pub struct Finished {
    /// The job's ticket.
    pub ticket: u64,
    /// The result; never void, never interrupted.
    pub result: MatchResult,
    /// The replay, if one was wanted.
    pub replay: Option<Vec<u8>>,
    /// How many earlier attempts were void.
    pub void: u32,
    /// How long it took, including the start of the bots. Void attempts do not count.
    pub time: Duration,
}
