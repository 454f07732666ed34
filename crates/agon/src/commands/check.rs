//! `agon check GAME BOT`: a numbered examination of a bot.
//!
//! `agon_contest::check` examines; the report is here.

use std::{cell::RefCell, io::Write, path::Path, time::Duration};

use agon_arena::drawn_seed;
use agon_bots::{Clock, HostOptions, Timing, folder_game};
use agon_contest::check::{ATTEMPTS, Case, Examination, Examiner, Status, Watcher, examine};
use agon_contest::events::{CheckVerdict, CheckedBot, Event, ExaminationResult, VerdictData};
use agon_contest::settings::{self, Sources};
use agon_core::{Evidence, Meta, Progress};
use agon_games::GameId;
use agon_match::{Void, Waiting, spec::MatchSettings};
use anyhow::{Result, ensure};

use crate::interrupts::{Doing, begin, handle_interrupts, interrupted_later};
use crate::output::{
    BAD, BOLD, Bar, CAUTION, DIM, GOOD, plural, print_event, print_evidence, print_output, tell,
};
use crate::{Exit, cli::CheckArgs, sandbox::machine};

/// Examines a bot and prints the report.
pub(crate) fn check(args: &CheckArgs, out: &mut impl Write) -> Result<Exit> {
    let (id, bot) = game_and_bot(args)?;
    let kind = id.kind();
    let meta = kind.meta();
    // Whole matches that do not take long.
    let trials = kind.trials();
    let short = [trials.short, trials.checked].concat();
    let is_named = args.full || args.rules.is_some() || args.preset.is_some();
    let short = if is_named { Vec::new() } else { short };
    let sets: Vec<String> = short.into_iter().map(str::to_owned).chain(args.sets.clone()).collect();
    let from = Sources { preset: args.preset.as_deref(), file: args.rules.as_deref(), sets: &sets };
    let limit = args.time.map(|limit| Timing::Clock(Clock::cpu(Duration::from_millis(limit))));
    let settings = MatchSettings { sandbox: args.sandbox.settings(), ..MatchSettings::default() };
    handle_interrupts();
    let shown = Shown { meta, bar: RefCell::default() };
    let examiner = Examiner {
        kind,
        spec: bot.parse()?,
        rules: settings::load(kind, from)?,
        host: HostOptions {
            timing: limit.unwrap_or_default(),
            examine: true,
            time_peers: true,
            announce: None,
            game: Some(id),
            ..agon_arena::host_options(&settings, &machine())
        },
        seed: args.seed.map_or_else(drawn_seed, Ok)?,
        games: args.games,
        max_turns: args.turns,
        stop: interrupted_later(),
        watcher: &shown,
    };
    let Some((info, examinations)) = examine(&examiner, args.memory)? else {
        return Ok(Exit::Interrupted);
    };
    let head = CheckedBot {
        game: meta.id,
        rules: &examiner.rules,
        seed: examiner.seed,
        name: &examiner.spec.name(),
        spec: bot,
        bot: info.as_ref(),
    };
    if args.json {
        print_json(head, &examinations, out)?;
    } else {
        print(&head, &examinations, out)?;
    }
    Ok(if passed(&examinations) { Exit::Done } else { Exit::Negative })
}

/// Returns the game and the bot. A folder names its game.
fn game_and_bot(args: &CheckArgs) -> Result<(GameId, &str)> {
    if let Some(bot) = &args.bot {
        return Ok((super::game_named(&args.game)?, bot));
    }
    let folder = Path::new(&args.game);
    ensure!(
        folder.is_dir(),
        "`{}` is the only argument, but no folder; name game and bot, as in `agon check {} BOT`",
        args.game,
        GameId::OWN[0].meta().id
    );
    Ok((folder_game(folder)?, &args.game))
}

/// Shows an examination while the bot plays.
struct Shown {
    meta: Meta,
    bar: RefCell<Option<Bar>>,
}

impl Watcher for Shown {
    fn show(&self, progress: Progress) {
        // From now on Ctrl-C ends the match.
        begin(Doing::Match);
        self.bar.borrow_mut().get_or_insert_with(|| Bar::new(&self.meta, None)).show(progress);
    }

    fn waiting(&self, waiting: &Waiting) {
        self.bar.borrow().iter().for_each(|bar| bar.wait(waiting));
    }

    fn ended(&self) {
        self.bar.take().into_iter().for_each(|bar| bar.clear());
    }

    fn void(&self, number: u32, void: Void, attempt: u32) {
        tell(format!("void: {void}; match {number} is played again ({attempt} of {ATTEMPTS})"));
    }
}

/// Faults that are shown in full.
const SHOWN: usize = 3;

/// Whether no examination failed.
fn passed(examinations: &[Examination]) -> bool {
    count(examinations, Status::Failed).is_empty()
}

/// The numbers of the examinations that went so.
fn count(examinations: &[Examination], status: Status) -> Vec<u8> {
    let those = examinations.iter().filter(|examination| examination.status == status);
    those.map(|examination| examination.topic.number()).collect()
}

/// Prints the report for people.
fn print(head: &CheckedBot<'_>, examinations: &[Examination], out: &mut impl Write) -> Result<()> {
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

pub(super) fn list(numbers: &[u8]) -> String {
    numbers.iter().map(u8::to_string).collect::<Vec<_>>().join(", ")
}

/// Prints the report for programs.
fn print_json(
    head: CheckedBot<'_>,
    examinations: &[Examination],
    out: &mut impl Write,
) -> Result<()> {
    print_event(Event::Check(head), out)?;
    for examination in examinations {
        print_event(Event::Examination(result(examination)), out)?;
    }
    let failed = count(examinations, Status::Failed);
    let warnings = count(examinations, Status::Warning);
    let verdict = CheckVerdict { passed: failed.is_empty(), failed, warnings };
    Ok(print_event(Event::Verdict(VerdictData::Check(verdict)), out)?)
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
