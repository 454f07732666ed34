//! Faults of bots in the matches that count, for people.

use std::io::Write;

use agon_contest::compare::{BotFaults, FaultCount, FaultList};
use anyhow::Result;

use crate::output::{BAD, BOLD, DIM, grouped, listed, plural, print_evidence};

/// Prints who did what how often, and the first fault of each.
pub(super) fn print(faults: &FaultList, out: &mut impl Write) -> Result<()> {
    let faulty: Vec<&BotFaults> = faults.faulty().collect();
    if faulty.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{BAD}faults{BAD:#}")?;
    for bot in faulty {
        let of = plural(bot.matches, "match");
        let kind = |&FaultCount { kind, matches, .. }: &FaultCount| {
            format!("{} in {} of {of}", kind.words(), grouped(matches as i64))
        };
        let kinds: Vec<String> = bot.kinds.iter().map(kind).collect();
        let kinds: Vec<&str> = kinds.iter().map(String::as_str).collect();
        writeln!(out, "  {BOLD}{}{BOLD:#} {}", bot.name, listed(&kinds))?;
        if let Some(case) = &bot.first {
            let seats: Vec<&str> = case.seats.iter().map(String::as_str).collect();
            let seats = listed(&seats);
            writeln!(out, "    {DIM}first:{DIM:#} seed {}, seats {seats}", case.seed)?;
            print_evidence(&case.fault, out)?;
        }
    }
    writeln!(
        out,
        "  {DIM}whoever fails looks weaker than he plays; `agon check` examines a bot{DIM:#}"
    )?;
    Ok(())
}
