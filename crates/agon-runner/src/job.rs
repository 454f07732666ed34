//! What is to be played, and how it ended.

use std::{sync::Arc, time::Duration};

use agon_core::Seed;
use agon_match::MatchResult;

use crate::BotEntry;

/// A match to be played.
#[derive(Clone, Debug)]
pub struct Job {
    /// The director's own number for it.
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
    /// How it ended; never void, never interrupted.
    pub result: MatchResult,
    /// The replay, if one was wanted.
    pub replay: Option<Vec<u8>>,
    /// How often it was played before and was void.
    pub void: u32,
    /// How long it took, the bots' start included; of void ones only the last.
    pub time: Duration,
}
