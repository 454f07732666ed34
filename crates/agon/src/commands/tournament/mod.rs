//! `agon tournament`
//!
//! `agon_contest::tournament` plays. What people see is here: `progress` while it is played, and
//! `report`.

mod progress;
mod report;

use std::{
    io::Write,
    path::{Path, PathBuf, absolute},
    sync::Arc,
    time::Instant,
};

use agon_arena::{End, WaitWatcher};
use agon_contest::tournament::{Folder, RunOptions, Tournament, Watcher};
use agon_contest::{Plan, Schedule};
use anyhow::{Context, Error, Result, bail};

use self::progress::Progress;
use crate::{
    Exit,
    cli::{RunArgs, TournamentArgs, TournamentCommand},
    interrupts::{handle_interrupts, interrupted_between_matches},
    output::{DIM, WaitBoard, plural, shell_word, tell_notice},
    sandbox::{machine_beside, tell_what_is_missing},
};

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
    let over = tournament.records().len() as u64;
    let mut shown = Shown(Progress::begin(tournament.schedule(), over));
    let end = tournament.play(&machine, &mut shown, interrupted_between_matches());
    shown.0.finish(tournament.played(), begun);
    // A journal that cannot be written is the reason itself.
    tournament.close()?;
    let end = match end {
        Ok(end) => end,
        Err(error) => {
            let again = how_to_continue(folder, others);
            return stopped(&tournament, &again, error, json, out);
        }
    };
    if tournament.reused() > 0 {
        say!("{} known already", plural(tournament.reused(), "result"));
    }
    report::print(&tournament, json, out)?;
    if tournament.played() > 0 {
        let path = shell_word(folder.path());
        say!("{DIM}`agon tournament report {path} --html FILE` makes a page of it{DIM:#}");
    }
    if let Some(shard) = tournament.shard() {
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
    if end == End::Interrupted && !tournament.schedule().is_finished() {
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

/// Shows what was played before a match could not be.
fn stopped(
    tournament: &Tournament<'_>,
    again: &str,
    error: Error,
    json: bool,
    out: &mut impl Write,
) -> Result<Exit> {
    let records = tournament.records().len();
    if records > 0 {
        report::print(tournament, json, out)?;
        let count = plural(records as u64, "match");
        say!("{count} kept; {again}");
    }
    Err(error)
}

/// Shows a tournament while it is played.
struct Shown(Progress);

impl Watcher for Shown {
    fn over(&mut self, schedule: &Schedule, matches: u64) {
        self.0.show(schedule, matches);
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
