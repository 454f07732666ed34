//! `agon tournament`: `agon_contest::tournament` plays. What people see is here: a bar while it is
//! played, and the report.

mod report;

use std::path::{Path, PathBuf, absolute};
use std::time::{Duration, Instant};
use std::{fmt, io::Write, sync::Arc};

use agon_arena::{End, WaitWatcher};
use agon_contest::tournament::{Folder, RunOptions, Tournament, Watcher};
use agon_contest::{Plan, Schedule};
use anyhow::{Context, Result, bail};
use indicatif::{HumanDuration, ProgressBar, ProgressState};

use crate::Exit;
use crate::cli::{RunArgs, TournamentArgs, TournamentCommand};
use crate::interrupts::{Doing, begin, handle_interrupts};
use crate::output::{
    DIM, WaitBoard, bar_style, keep_drawn, plural, shell_word, tell_above, tell_notice,
};
use crate::sandbox::{machine_beside, tell_what_is_missing};

/// Carries out the command.
pub(crate) fn tournament(args: &TournamentArgs, out: &mut impl Write) -> Result<Exit> {
    match &args.command {
        None => {
            let file = args.file.as_deref().context("no plan is named")?;
            // Wherever it is resumed, bots are where they are.
            let whole = absolute(file).context(
                "the current folder cannot be found, so that it has no plan; change to one that is \
                 there",
            )?;
            let mut plan = Plan::load(&whole)?;
            let folder = Folder::begin(&args.out.clone().unwrap_or_else(|| folder_for(file)))?;
            let others =
                args.reuse.iter().map(|path| Folder::open(path)).collect::<Result<Vec<_>>>()?;
            if args.shard.is_some() && !plan.says_seed {
                bail!("--shard: the plan needs a `seed`, so that all parts have the same matches");
            }
            folder.settle_seed(&mut plan, &others, args.fresh)?;
            let options = args.run.options(args.fresh, folder.path())?;
            let options = RunOptions { shard: args.shard, ..options };
            play(&plan, &folder, &others, options, &args.run, out)
        }
        Some(TournamentCommand::Resume { folder, run }) => {
            let folder = Folder::open(folder)?;
            let plan = folder.plan()?.plan;
            let options = run.options(false, folder.path())?;
            // A part stays a part.
            let options = RunOptions { shard: folder.part()?, ..options };
            play(&plan, &folder, &[], options, run, out)
        }
        Some(TournamentCommand::Report(args)) => {
            let path = &args.folder;
            let folder = if path.is_file() { &folder_for(path) } else { path };
            report::report(&Folder::open(folder)?, args, out)
        }
    }
}

/// `league.toml` is played in `league-results`.
fn folder_for(plan: &Path) -> PathBuf {
    let stem = plan.file_stem().unwrap_or_default().to_string_lossy();
    PathBuf::from(format!("{stem}-results"))
}

/// Plays a plan in its folder, from where it ended.
fn play(
    plan: &Plan,
    folder: &Folder,
    others: &[Folder],
    options: RunOptions,
    run: &RunArgs,
    out: &mut impl Write,
) -> Result<Exit> {
    handle_interrupts();
    let machine = machine_beside(&run.remote)?;
    let json = run.json;
    let mut tournament = Tournament::open(plan, folder, others, options, &machine, &tell_notice)?;
    let begun = Instant::now();
    let over = tournament.records.len() as u64;
    let mut shown = Progress::begin(&tournament.schedule, over);
    let end = tournament.play(&machine, &mut shown, Arc::clone(begin(Doing::Matches)));
    shown.finish(tournament.played, begun);
    // A journal that cannot be written is the reason itself.
    tournament.close()?;
    let end = match end {
        Ok(end) => end,
        Err(error) => {
            // What was played before is shown.
            let records = tournament.records.len() as u64;
            if records > 0 {
                report::print(&tournament, json, out)?;
                say!("{} kept; {}", plural(records, "match"), how_to_continue(folder, others));
            }
            return Err(error);
        }
    };
    if tournament.reused > 0 {
        say!("{} known already", plural(tournament.reused, "result"));
    }
    report::print(&tournament, json, out)?;
    if tournament.played > 0 {
        let path = shell_word(folder.path());
        say!("{DIM}`agon tournament report {path} --html FILE` makes a page of it{DIM:#}");
    }
    if let Some(shard) = tournament.options.shard {
        if end == End::Interrupted {
            say!("interrupted; the same command continues {shard}");
            return Ok(Exit::Interrupted);
        }
        say!(
            "{shard} is played; once all are, `agon tournament {}` with `--reuse DIR` for the \
             folder of each part makes the whole table",
            shell_word(&plan.file)
        );
    }
    if end == End::Interrupted && !tournament.schedule.is_finished() {
        say!("interrupted; {}", how_to_continue(folder, others));
        return Ok(Exit::Interrupted);
    }
    Ok(Exit::Done)
}

/// Says which command plays the rest. `resume` does not know where the results of others are.
fn how_to_continue(folder: &Folder, others: &[Folder]) -> String {
    match others.is_empty() {
        true => format!("`agon tournament resume {}` continues", shell_word(folder.path())),
        false => "the same command continues".to_owned(),
    }
}

/// How often a line is written where nobody sees a bar: into the log of a server.
const LINES: Duration = Duration::from_secs(60);

/// A bar where somebody sees it, or a line now and then.
#[derive(Debug)]
struct Progress {
    bar: ProgressBar,
    line: Instant,
}

impl Progress {
    /// Begins with `over` matches that need not be played any more.
    fn begin(schedule: &Schedule, over: u64) -> Progress {
        let bar = match schedule.planned() {
            Some(planned) => ProgressBar::new(planned),
            None => ProgressBar::no_length(),
        };
        let template = match schedule.planned() {
            Some(_) => "{bar:30} {pos} of {len} matches{rate}{left}{wide_msg}",
            None => "{spinner} {pos} matches{rate}, {elapsed}{wide_msg}",
        };
        bar.set_style(bar_style(template).with_key("rate", rate).with_key("left", time_left));
        bar.set_position(over);
        // What was played before says nothing of the time that is left.
        bar.reset_eta();
        keep_drawn(&bar, Duration::ZERO);
        tell_above(&bar);
        Progress { bar, line: Instant::now() }
    }

    /// Takes the bar away and says what was played.
    fn finish(&self, played: u64, begun: Instant) {
        self.bar.finish_and_clear();
        let time = begun.elapsed();
        let rate = played as f64 / time.as_secs_f64().max(1e-3);
        if played > 0 {
            let time = match time.as_secs() {
                0..10 => format!("{:.1} seconds", time.as_secs_f64()),
                _ => HumanDuration(time).to_string(),
            };
            say!("{} played in {time}, {}", plural(played, "match"), speed(rate));
        }
    }
}

impl Watcher for Progress {
    fn over(&mut self, schedule: &Schedule, over: u64) {
        if let Some(planned) = schedule.planned() {
            self.bar.set_length(planned);
        }
        self.bar.set_position(over);
        if self.bar.is_hidden() && self.line.elapsed() >= LINES {
            self.line = Instant::now();
            let of = self.bar.length().map_or_else(String::new, |length| format!(" of {length}"));
            say!("{over}{of} matches, {}", speed(self.bar.per_sec()));
        }
    }

    fn played(&mut self) {
        // Known once a program has been started.
        tell_what_is_missing();
    }

    fn forfeits(&mut self, name: &str, reason: &str) {
        say!("{name} forfeits all open matches: {reason}");
    }

    fn waits(&self) -> Option<Arc<dyn WaitWatcher>> {
        Some(Arc::new(WaitBoard::default()))
    }
}

/// Matches a second, or a minute if it is less than one.
fn speed(per_second: f64) -> String {
    if per_second >= 1.0 {
        format!("{per_second:.1} a second")
    } else {
        format!("{:.1} a minute", 60.0 * per_second)
    }
}

/// Whether there is anything to judge the speed by. At first the matches of an earlier run, which
/// are counted at once, would look like a very fast start.
fn is_judged(state: &ProgressState) -> bool {
    state.per_sec() > 0.0 && state.elapsed() >= Duration::from_secs(1)
}

/// Matches a second, once there is anything to judge it by.
fn rate(state: &ProgressState, out: &mut dyn fmt::Write) {
    if is_judged(state) {
        // Fails only if `out` does, and the bar is no place for errors.
        let _ = write!(out, ", {}", speed(state.per_sec()));
    }
}

/// The time that the tournament still takes.
fn time_left(state: &ProgressState, out: &mut dyn fmt::Write) {
    if is_judged(state) {
        let _ = write!(out, ", {:#} left", HumanDuration(state.eta()));
    }
}
