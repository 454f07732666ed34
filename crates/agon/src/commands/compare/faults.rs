//! Faults of bots in the matches that count.

use std::{collections::BTreeMap, io::Write};

use agon_core::{Fault, FaultKind, Seed};
use anyhow::Result;
use serde_json::{Value, json};

use super::played::Played;
use crate::output::{BAD, BOLD, DIM, grouped, listed, plural, print_evidence};

/// The faults of each bot. They count as the rules say, usually as a defeat; but a version that
/// answers too late looks weak for another reason than its play, so they are told.
#[derive(Clone, Debug)]
pub(super) struct FaultList {
    bots: Vec<BotFaults>,
}

/// The faults of one bot.
#[derive(Clone, Debug, Default)]
struct BotFaults {
    name: String,
    /// Matches that it played, and those of them with faults.
    matches: u64,
    faulty: u64,
    /// By kind: in how many matches, and how often in all.
    kinds: BTreeMap<FaultKind, (u64, u64)>,
    first: Option<Case>,
}

/// A fault and the match that it was seen in.
#[derive(Clone, Debug)]
struct Case {
    seed: Seed,
    seats: Vec<String>,
    fault: Fault,
}

impl BotFaults {
    /// Adds the faults of a match.
    fn add(&mut self, kinds: &BTreeMap<FaultKind, u64>, case: Option<Case>) {
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
    /// A list for bots with these names.
    pub(super) fn new(names: impl IntoIterator<Item = String>) -> FaultList {
        FaultList {
            bots: names
                .into_iter()
                .map(|name| BotFaults { name, ..BotFaults::default() })
                .collect(),
        }
    }

    /// Notes the faults of a match; `seats` are the bots' numbers.
    pub(super) fn note(&mut self, seats: &[usize], seed: Seed, played: &Played) {
        for (seat, &number) in seats.iter().enumerate() {
            self.bots[number].matches += 1;
            if let Some(faults) = played.faults.get(&seat) {
                let names = || seats.iter().map(|&bot| self.bots[bot].name.clone()).collect();
                let case = |fault: &Fault| Case { seed, seats: names(), fault: fault.clone() };
                let case = faults.first.as_ref().map(case);
                self.bots[number].add(&faults.kinds, case);
            }
        }
    }

    /// Prints who did what how often, and the first fault of each.
    pub(super) fn print(&self, out: &mut impl Write) -> Result<()> {
        let faulty: Vec<&BotFaults> = self.bots.iter().filter(|bot| bot.faulty > 0).collect();
        if faulty.is_empty() {
            return Ok(());
        }
        writeln!(out, "\n{BAD}faults{BAD:#}")?;
        for bot in faulty {
            let of = plural(bot.matches, "match");
            let kind = |(kind, (matches, _)): (&FaultKind, &(u64, u64))| {
                format!("{} in {} of {of}", kind.words(), grouped(*matches as i64))
            };
            let kinds: Vec<String> = bot.kinds.iter().map(kind).collect();
            let kinds: Vec<&str> = kinds.iter().map(String::as_str).collect();
            writeln!(out, "  {BOLD}{}{BOLD:#} {}", bot.name, listed(&kinds))?;
            if let Some(case) = &bot.first {
                writeln!(
                    out,
                    "    {DIM}first:{DIM:#} seed {}, seats {}",
                    case.seed,
                    listed(&case.seats.iter().map(String::as_str).collect::<Vec<_>>())
                )?;
                print_evidence(&case.fault, out)?;
            }
        }
        writeln!(
            out,
            "  {DIM}whoever fails looks weaker than he plays; `agon check` examines a bot{DIM:#}"
        )?;
        Ok(())
    }

    /// The same as JSON: a row for each bot with faults.
    pub(super) fn json(&self) -> Value {
        let row = |bot: &BotFaults| {
            let kind = |(kind, (matches, count)): (&FaultKind, &(u64, u64))| {
                json!({
                    "kind": kind, "matches": matches, "count": count
                })
            };
            let kinds: Vec<Value> = bot.kinds.iter().map(kind).collect();
            let first = bot
                .first
                .as_ref()
                .map(|case| json!({ "seed": case.seed, "seats": case.seats, "fault": case.fault }));
            json!({
                "name": bot.name, "matches": bot.matches, "faulty": bot.faulty, "kinds": kinds,
                "first": first
            })
        };
        self.bots.iter().filter(|bot| bot.faulty > 0).map(row).collect()
    }
}
