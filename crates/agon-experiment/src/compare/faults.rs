//! Counts the faults of bots in the matches of a comparison that count. `agon compare` reports
//! them.

use std::collections::BTreeMap;

use agon_core::{Fault, FaultKind, Seed};
use schemars::JsonSchema;
use serde::Serialize;

use super::played::Played;

/// The faults of each bot.
///
/// The rules decide what a fault costs, usually the match. Reports name them, because a version
/// that answers too late looks weak for another reason than its play.
#[derive(Clone, Debug)]
pub struct FaultList {
    bots: Vec<BotFaults>,
}

/// The faults of one bot.
#[derive(Clone, Debug, Default)]
pub struct BotFaults {
    /// The bot's name.
    pub name: String,
    /// Matches that it played.
    pub matches: u64,
    /// How many of them have faults.
    pub faulty: u64,
    /// By kind: in how many matches, and how often in all.
    pub kinds: BTreeMap<FaultKind, (u64, u64)>,
    /// The first one in detail.
    pub first: Option<FaultCase>,
}

/// A fault and the match that it was seen in.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FaultCase {
    /// The seed of the match.
    pub seed: Seed,
    /// The names of the players, in order of seats.
    pub seats: Vec<String>,
    /// The fault.
    pub fault: Fault,
}

impl BotFaults {
    /// Adds the faults of a match.
    fn add(&mut self, kinds: &BTreeMap<FaultKind, u64>, case: Option<FaultCase>) {
        self.faulty += 1;
        for (&kind, &count) in kinds {
            let counts = self.kinds.entry(kind).or_default();
            *counts = (counts.0 + 1, counts.1 + count);
        }
        if self.first.is_none() {
            self.first = case;
        }
    }
}

impl FaultList {
    /// Makes a list for bots with these names.
    pub fn new(names: impl IntoIterator<Item = String>) -> FaultList {
        FaultList {
            bots: names
                .into_iter()
                .map(|name| BotFaults { name, ..BotFaults::default() })
                .collect(),
        }
    }

    /// Notes the faults of a match; `seats` are the bots' numbers.
    pub fn note(&mut self, seats: &[usize], seed: Seed, played: &Played) {
        for (seat, &number) in seats.iter().enumerate() {
            self.bots[number].matches += 1;
            if let Some(faults) = played.faults.get(&seat) {
                let names = || seats.iter().map(|&bot| self.bots[bot].name.clone()).collect();
                let case = |fault: &Fault| FaultCase { seed, seats: names(), fault: fault.clone() };
                let case = faults.first.as_ref().map(case);
                self.bots[number].add(&faults.kinds, case);
            }
        }
    }

    /// Returns the bots that committed faults.
    pub fn faulty(&self) -> impl Iterator<Item = &BotFaults> {
        self.bots.iter().filter(|bot| bot.faulty > 0)
    }
}
