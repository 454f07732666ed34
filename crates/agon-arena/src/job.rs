//! A job, which is a match that a client gives to a pool, and what comes back.

use std::{sync::Arc, time::Duration};

use agon_core::Seed;
use agon_match::spec::{MatchOutcome, MatchSpec};

use crate::{ArenaError, BotEntry};

/// A match to be played.
#[derive(Clone, Debug)]
pub struct Job {
    /// The submitter's own number for it.
    pub ticket: u64,
    /// The match.
    pub spec: MatchSpec,
    /// The bots of its seats, which have been read. In the match they have the names of the seats:
    /// a bot may have another name in each match, and its files are still read once.
    pub bots: Vec<Arc<BotEntry>>,
}

/// A match that is over.
#[derive(Debug)]
pub struct Finished {
    /// The job's ticket.
    pub ticket: u64,
    /// What came of it. A match that cannot be played, or panics, is an error of this match alone.
    pub outcome: Result<MatchOutcome, ArenaError>,
    /// The replay, if one was recorded.
    pub replay: Option<Vec<u8>>,
    /// How long a worker was busy with it; zero if nobody knows.
    pub took: Duration,
}

impl Job {
    /// Makes a job of these bots of this machine on a seed; `base` says all else.
    pub fn new(ticket: u64, base: &MatchSpec, seed: Seed, bots: Vec<Arc<BotEntry>>) -> Job {
        let seats = bots.iter().map(|bot| bot.seat(base.game)).collect();
        // Not `base.clone()`: its seats, if any, are not wanted.
        let MatchSpec { version, game, rules_version, repetition, max_turns, .. } = *base;
        let rules = base.rules.clone();
        let settings = base.settings.clone();
        let spec = MatchSpec {
            version,
            game,
            rules_version,
            rules,
            seed,
            repetition,
            max_turns,
            seats,
            settings,
        };
        Job { ticket, spec, bots }
    }

    /// Returns the bots under the names of their seats.
    pub(crate) fn named(&self) -> Vec<Arc<BotEntry>> {
        let named = |(number, bot): (usize, &Arc<BotEntry>)| match self.spec.seats.get(number) {
            Some(seat) if seat.name != bot.info.name => Arc::new(bot.named(&seat.name)),
            _ => Arc::clone(bot),
        };
        self.bots.iter().enumerate().map(named).collect()
    }
}
