//! The report: a line per examination, and remedies.

use std::io::Write;

use agon_contest::check::{Case, Examination, Status};
use agon_contest::events::{CheckVerdict, CheckedBot, Event, ExaminationResult};
use agon_core::{BotInfo, Evidence, Seed};
use anyhow::Result;
use serde_json::Value;

use crate::output::{
    BAD, BOLD, CAUTION, DIM, GOOD, plural, print_event, print_evidence, print_output,
};

/// Faults that are shown in full.
const SHOWN: usize = 3;

/// The head of a report.
pub(super) struct Head<'a> {
    pub(super) game: &'static str,
    pub(super) rules: Value,
    pub(super) name: String,
    /// What was typed.
    pub(super) spec: &'a str,
    /// `None` if the bot cannot be opened.
    pub(super) info: Option<&'a BotInfo>,
    pub(super) seed: Seed,
}

/// Whether no examination failed.
pub(super) fn passed(examinations: &[Examination]) -> bool {
    count(examinations, Status::Failed).is_empty()
}

/// The numbers of the examinations that went so.
fn count(examinations: &[Examination], status: Status) -> Vec<u8> {
    let those = examinations.iter().filter(|examination| examination.status == status);
    those.map(|examination| examination.topic.number()).collect()
}

/// Prints the report for people.
pub(super) fn print(
    head: &Head<'_>,
    examinations: &[Examination],
    out: &mut impl Write,
) -> Result<()> {
    writeln!(out, "{BOLD}{}{BOLD:#} · {} · seed {}\n", head.name, head.game, head.seed)?;
    for examination in examinations {
        print_line(examination, out)?;
    }
    let failed = count(examinations, Status::Failed);
    let warnings = count(examinations, Status::Warning);
    let verdict = match failed.as_slice() {
        [] => format!("{GOOD}passed{GOOD:#}"),
        failed => format!("{BAD}failed{BAD:#}: {}", list(failed)),
    };
    let warned = match warnings.as_slice() {
        [] => String::new(),
        warnings => format!(", {}: {}", plural(warnings.len() as u64, "warning"), list(warnings)),
    };
    Ok(writeln!(out, "\n{verdict}{warned}")?)
}

fn print_line(examination: &Examination, out: &mut impl Write) -> Result<()> {
    let Examination { topic, status, found, .. } = examination;
    let style = match status {
        Status::Passed => GOOD,
        Status::Warning => CAUTION,
        Status::Failed => BAD,
        Status::NotApplicable => DIM,
    };
    let mut lines = found.lines();
    let first = lines.next().unwrap_or_default();
    writeln!(
        out,
        "{:>2}  {:<13}  {style}{status:<14}{style:#}  {first}",
        topic.number(),
        topic.name()
    )?;
    for line in lines {
        writeln!(out, "    {line}")?;
    }
    if let Some(remedy) = &examination.remedy {
        writeln!(out, "    {DIM}remedy:{DIM:#} {remedy}")?;
    }
    print_output(&examination.seen, out)?;
    for Case { number, seed, fault } in examination.cases.iter().take(SHOWN) {
        writeln!(out, "    {DIM}match {number}, seed {seed}, as player {}:{DIM:#}", fault.player)?;
        print_evidence(fault, out)?;
    }
    Ok(())
}

fn list(numbers: &[u8]) -> String {
    numbers.iter().map(u8::to_string).collect::<Vec<_>>().join(", ")
}

/// Prints the report for programs.
pub(super) fn print_json(
    head: &Head<'_>,
    examinations: &[Examination],
    out: &mut impl Write,
) -> Result<()> {
    let bot = CheckedBot {
        game: head.game,
        rules: &head.rules,
        seed: head.seed,
        name: &head.name,
        spec: head.spec,
        bot: head.info,
    };
    print_event(Event::Check(bot), out)?;
    for examination in examinations {
        print_event(Event::Examination(result(examination)), out)?;
    }
    let failed = count(examinations, Status::Failed);
    let warnings = count(examinations, Status::Warning);
    let verdict = CheckVerdict { passed: failed.is_empty(), failed, warnings };
    Ok(print_event(verdict, out)?)
}

fn result(examination: &Examination) -> ExaminationResult<'_> {
    let Examination { topic, status, found, remedy, cases, seen, figures } = examination;
    ExaminationResult {
        number: topic.number(),
        name: topic.name(),
        status: *status,
        found,
        remedy: remedy.as_deref(),
        faults: cases,
        evidence: (*seen != Evidence::default()).then_some(seen),
        figures,
    }
}
