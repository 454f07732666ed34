//! What a check of a log found, in words.

use std::io::{self, Write};

use agon_console::{BAD, BOLD, DIM, GOOD};
use agon_ladder::ledger::{Finding, Remembered, Report, fingerprint};
use agon_text::{escape, number::plural};

use super::{
    answers::{self, ArenaNames},
    own_bot::OwnBot,
};

/// The most findings that are shown.
const SHOWN: usize = 50;

/// Prints a report, with what the author's bot answered if one was asked.
///
/// # Errors
/// If it cannot be written.
pub(super) fn print(
    report: &Report,
    before: Option<&Remembered>,
    bot: Option<(&OwnBot<'_>, &ArenaNames)>,
    out: &mut impl Write,
) -> io::Result<()> {
    if let Some(now) = &report.remembered {
        print_log(report, now, before, out)?;
    }
    for Finding { arena, number, what } in report.findings.iter().take(SHOWN) {
        let place = match (arena, number) {
            (Some(arena), Some(number)) => format!("arena {arena}, match {number}: "),
            (Some(arena), None) => format!("arena {arena}: "),
            (None, _) => String::new(),
        };
        writeln!(out, "{BAD}✗{BAD:#} {place}{}", escape(what))?;
    }
    let findings = report.findings.len();
    if findings > SHOWN {
        writeln!(out, "{DIM}and {} more; --json has all{DIM:#}", findings - SHOWN)?;
    }
    if let Some((bot, names)) = bot
        && report.remembered.is_some()
    {
        answers::print(bot, names, out)?;
    }
    let is_same = bot.is_none_or(|(bot, _)| bot.agrees());
    match findings {
        0 if !is_same => {
            writeln!(out, "\n{BAD}the log is verified, the answers of the bot are not{BAD:#}")
        }
        0 => writeln!(out, "\n{GOOD}verified{GOOD:#}"),
        _ => writeln!(out, "\n{BAD}not verified{BAD:#}: {}", plural(findings as u64, "finding")),
    }
}

fn print_log(
    report: &Report,
    now: &Remembered,
    before: Option<&Remembered>,
    out: &mut impl Write,
) -> io::Result<()> {
    let Report { entries, versions, matches, proven, missing, other_rules, tables, .. } = report;
    let good = |out: &mut dyn Write, text: String| writeln!(out, "{GOOD}✓{GOOD:#} {text}");
    writeln!(
        out,
        "{BOLD}{}{BOLD:#}: {}, {}\n{DIM}signed with the key {}{DIM:#}\n",
        super::entries(*entries),
        plural(*versions, "version"),
        plural(*matches, "match"),
        escape(&fingerprint(&now.key))
    )?;
    match before {
        Some(before) if report.grew => {
            good(
                out,
                format!("it begins with the {} that were seen before", super::entries(before.size)),
            )?;
        }
        _ => writeln!(out, "{DIM}–{DIM:#} it was not seen before from here")?,
    }
    good(out, "its entries do not contradict each other".to_owned())?;
    match proven {
        0 => writeln!(out, "{DIM}–{DIM:#} no match was played again")?,
        _ => {
            good(out, format!("{} played again, with the same results", plural(*proven, "match")))?
        }
    }
    match tables {
        0 => writeln!(out, "{DIM}–{DIM:#} it has no published table, or a newer one than the log")?,
        _ => {
            good(out, format!("{} computed again, with the same digits", plural(*tables, "table")))?
        }
    }
    if report.finals > 0 {
        let (finals, parts) = (plural(report.finals, "final"), plural(report.parts, "part"));
        good(out, format!("{finals} as drawn, with {parts} of the seeds computed again"))?;
        if report.unfinished > 0 {
            let those = plural(report.unfinished, "final");
            writeln!(out, "{DIM}–{DIM:#} {those} not played to the end yet")?;
        }
    }
    if *missing > 0 {
        let those = plural(*missing, "replay");
        writeln!(out, "{DIM}–{DIM:#} {those} of the sample are not kept any more")?;
    }
    if *other_rules > 0 {
        let text = "matches and tables are of another version of Agon, which can check them";
        writeln!(out, "{DIM}–{DIM:#} {other_rules} {text}")?;
    }
    Ok(())
}
