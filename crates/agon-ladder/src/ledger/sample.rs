//! Chooses the matches that are played again, of all versions or of some.

use std::collections::{BTreeMap, BTreeSet};

use agon_core::Seed;
use serde::Serialize;

use crate::ledger::Played;

/// Which matches are played again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sample {
    /// All.
    All,
    /// So many, chosen by a seed that the server cannot know.
    Some(usize, Seed),
}

impl Default for Sample {
    fn default() -> Sample {
        Sample::Some(0, Seed(0))
    }
}

/// A version that an author handed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct HandedIn {
    /// The arena.
    pub arena: u64,
    /// The bot.
    pub bot: u64,
    /// The version.
    pub version: u64,
    /// The number of the version, from 1.
    pub number: u32,
}

/// The matches that are played again: those with the smallest numbers by a secret order.
#[derive(Debug)]
pub(crate) struct Chosen {
    sample: Sample,
    /// Of which arena; of all if there is none.
    arena: Option<u64>,
    /// The versions of whom matches are wanted; `None` for those of all.
    admitted: Option<BTreeSet<u64>>,
    by_rank: BTreeMap<(u64, u64, u64), Played>,
}

impl Chosen {
    /// Chooses among all matches, or among those of admitted versions.
    pub(crate) fn new(sample: Sample, arena: Option<u64>, is_open: bool) -> Chosen {
        let admitted = (!is_open).then(BTreeSet::new);
        Chosen { sample, arena, admitted, by_rank: BTreeMap::new() }
    }

    /// Admits the matches of a version.
    pub(crate) fn admit(&mut self, version: u64) {
        self.admitted.get_or_insert_default().insert(version);
    }

    pub(crate) fn offer(&mut self, played: Played) {
        let number = played.record.number;
        if self.arena.is_some_and(|only| only != played.arena) {
            return;
        }
        let versions = &played.pairing.versions;
        if self.admitted.as_ref().is_some_and(|all| versions.iter().all(|one| !all.contains(one))) {
            return;
        }
        let (most, rank) = match self.sample {
            Sample::All => (usize::MAX, 0),
            Sample::Some(most, seed) => (most, seed.derive(played.arena).derive(number).number()),
        };
        self.by_rank.insert((rank, played.arena, number), played);
        while self.by_rank.len() > most {
            self.by_rank.pop_last();
        }
    }

    pub(crate) fn done(self) -> Vec<Played> {
        self.by_rank.into_values().collect()
    }
}
