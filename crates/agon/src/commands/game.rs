//! `agon game check GAME`: a numbered examination of a game.
//!
//! `agon_games::conformance` examines; the report is here.

use std::io::Write;

use agon_contest::check;
use agon_contest::events::{CheckVerdict, Event, ExaminationResult, VerdictData};
use agon_games::conformance::{Options, Point, Status, examine};
use agon_games::{GameId, any::GameKind};
use anyhow::Result;
use serde_json::Value;

use super::{check::list, rules::facts};
use crate::output::{BAD, BOLD, DIM, GOOD, print_event};
use crate::{Exit, cli::GameCommand};

/// Carries out a command about games.
pub(crate) fn game(command: &GameCommand, out: &mut impl Write) -> Result<Exit> {
    let GameCommand::Check(args) = command;
    let kind = args.game.parse::<GameId>()?.kind();
    let second = args.seed.with_number(args.seed.number().wrapping_add(1));
    let seeds = vec![args.seed, second];
    let options = Options { seeds, rounds: args.rounds, ..Options::tiny(kind) };
    report(kind, &options, args.json, out)
}

/// Examines a game, and prints each point as soon as it is known.
fn report(
    kind: &'static dyn GameKind,
    options: &Options,
    json: bool,
    out: &mut impl Write,
) -> Result<Exit> {
    let meta = kind.meta();
    if json {
        print_event(Event::Game(facts(meta)), out)?;
    } else {
        let version = meta.rules_version;
        let seed = options.seeds[0];
        writeln!(out, "{BOLD}{}{BOLD:#} · rules version {version} · seed {seed}\n", meta.id)?;
    }
    let mut failed = Vec::new();
    for point in examine(kind, options) {
        if point.status == Status::Failed {
            failed.push(point.number);
        }
        print(&point, json, out)?;
        out.flush()?;
    }
    let exit = if failed.is_empty() { Exit::Done } else { Exit::Negative };
    if json {
        let verdict = CheckVerdict { passed: failed.is_empty(), failed, warnings: Vec::new() };
        print_event(Event::Verdict(VerdictData::Check(verdict)), out)?;
    } else if failed.is_empty() {
        writeln!(out, "\n{GOOD}passed{GOOD:#}")?;
    } else {
        writeln!(out, "\n{BAD}failed{BAD:#}: {}", list(&failed))?;
    }
    Ok(exit)
}

fn print(point: &Point, json: bool, out: &mut impl Write) -> Result<()> {
    let Point { number, name, found, .. } = point;
    let (style, status) = match point.status {
        Status::Passed => (GOOD, check::Status::Passed),
        Status::Failed => (BAD, check::Status::Failed),
        Status::NotApplicable => (DIM, check::Status::NotApplicable),
    };
    if !json {
        // States that are compared have lines of their own.
        let found = found.replace('\n', "\n    ");
        writeln!(out, "{number:>2}  {name:<17}  {style}{status:<14}{style:#}  {found}")?;
        return Ok(());
    }
    let result = ExaminationResult {
        number: *number,
        name,
        status,
        found,
        remedy: None,
        faults: &[],
        evidence: None,
        figures: &Value::Null,
    };
    Ok(print_event(Event::Examination(result), out)?)
}

#[cfg(test)]
mod tests {
    use agon_games::any::kind_of;
    use agon_testkit::{bare::Bare, broken::Broken};

    use super::*;

    /// Without settings, the same seed and answers give different games.
    #[test]
    fn broken_promises_are_named() {
        let kind = kind_of::<Bare<Broken>>();
        let options = Options { points: 1..=3, ..Options::tiny(kind) };
        let printed = |json| {
            let mut out = Vec::new();
            assert_eq!(report(kind, &options, json, &mut out).unwrap(), Exit::Negative);
            String::from_utf8(out).unwrap()
        };
        let text = anstream::adapter::strip_str(&printed(false)).to_string();
        assert!(text.contains("\n 3  same game          failed          1 player, seed"), "{text}");
        assert!(text.ends_with("\n\nfailed: 3\n"), "{text}");
        let verdict = r#"{"type":"verdict","data":{"passed":false,"failed":[3],"warnings":[]}}"#;
        assert_eq!(printed(true).lines().last(), Some(verdict));
    }
}
