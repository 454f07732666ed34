//! What bots did wrong in the matches that count.

use std::{collections::BTreeMap, io::Write};

use agon_core::{Fault, FaultKind, Player, Seed};
use agon_match::MatchResult;
use anyhow::Result;
use serde_json::{Value, json};

use crate::output::{BAD, BOLD, DIM, grouped, listed, plural, print_evidence};

/// The faults of each bot. They count as the rules say, usually as a defeat; but a version that answers too late looks
/// weak for another reason than its play, so they are told.
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

impl FaultList {
    /// A list for bots with these names.
    pub(super) fn new(names: impl IntoIterator<Item = String>) -> FaultList {
        FaultList { bots: names.into_iter().map(|name| BotFaults { name, ..BotFaults::default() }).collect() }
    }

    /// Notes the faults of a match; `seats` are the bots' numbers.
    pub(super) fn note(&mut self, seats: &[usize], result: &MatchResult) {
        for ((player, own), &bot) in Player::all(seats.len()).zip(&result.players).zip(seats) {
            let bot = &mut self.bots[bot];
            bot.matches += 1;
            bot.faulty += u64::from(!own.faults.is_empty());
            for (&kind, &count) in &own.faults {
                let counts = bot.kinds.entry(kind).or_default();
                *counts = (counts.0 + 1, counts.1 + count);
            }
            if bot.first.is_none() {
                let fault = result.faults.iter().find(|fault| fault.player == player);
                let seats = result.players.iter().map(|player| player.bot.name.clone());
                let case =
                    |fault: &Fault| Case { seed: result.seed, seats: seats.collect(), fault: fault.clone() };
                bot.first = fault.map(case);
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
        writeln!(out, "  {DIM}whoever fails looks weaker than he plays; `agon check` examines a bot{DIM:#}")?;
        Ok(())
    }

    /// The same as JSON: a row for each bot with faults.
    pub(super) fn json(&self) -> Value {
        let row = |bot: &BotFaults| {
            let kind = |(kind, (matches, count)): (&FaultKind, &(u64, u64))| json!({ "kind": kind, "matches": matches, "count": count });
            let kinds: Vec<Value> = bot.kinds.iter().map(kind).collect();
            let first = bot
                .first
                .as_ref()
                .map(|case| json!({ "seed": case.seed, "seats": case.seats, "fault": case.fault }));
            json!({ "name": bot.name, "matches": bot.matches, "faulty": bot.faulty, "kinds": kinds, "first": first })
        };
        self.bots.iter().filter(|bot| bot.faulty > 0).map(row).collect()
    }
}
