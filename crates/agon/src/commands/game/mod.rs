//! `agon game check GAME`: a numbered examination of a game.
//!
//! `agon_games::conformance` examines; the report is here.

mod new;

use std::{io::Write, path::PathBuf};

use agon_bots::game_file::{self, EXTENSION};
use agon_contest::check;
use agon_contest::events::{CheckVerdict, Event, ExaminationResult, VerdictData};
use agon_games::any::GameKind;
use agon_games::conformance::{Options, Point, Status, examine};
use anyhow::Result;
use serde_json::Value;

use super::{check::list, game_named, rules::facts};
use crate::output::{BAD, BOLD, DIM, GOOD, print_event};
use crate::{
    Exit,
    cli::{GameCommand, GamePackArgs},
};

/// Carries out a command about games.
pub(crate) fn game(command: &GameCommand, out: &mut impl Write) -> Result<Exit> {
    let args = match command {
        GameCommand::Check(args) => args,
        GameCommand::New(args) => return new::new(args, out).map(|()| Exit::Done),
        GameCommand::Pack(args) => return pack(args, out).map(|()| Exit::Done),
    };
    let kind = game_named(&args.game)?.kind();
    let second = args.seed.with_number(args.seed.number().wrapping_add(1));
    let seeds = vec![args.seed, second];
    let options = Options { seeds, rounds: args.rounds, ..Options::tiny(kind) };
    report(kind, &options, args.json, out)
}

/// Packs a game's folder into a file.
fn pack(args: &GamePackArgs, out: &mut impl Write) -> Result<()> {
    let id = game_file::open(&args.folder).map_err(anyhow::Error::msg)?;
    let file = args.output.clone().unwrap_or_else(|| {
        let folder = std::path::absolute(&args.folder).unwrap_or_else(|_| args.folder.clone());
        PathBuf::from(folder.file_name().unwrap_or_default()).with_extension(EXTENSION)
    });
    let packed = id.kind().packed().expect("a game from a folder has files");
    agon_files::write(&file, packed)?;
    let (name, bytes) = (id.meta().id, packed.len());
    Ok(writeln!(out, "{GOOD}packed{GOOD:#} {name} into {}, {bytes} bytes", file.display())?)
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
