//! `agon tournament`

mod bots;
mod folder;
mod job_source;
mod known;
mod progress;
mod report;

use std::{
    collections::{BTreeSet, HashMap, VecDeque},
    io::Write,
    num::NonZero,
    path::{Path, PathBuf, absolute},
    time::{Duration, Instant},
};

use agon_arena::End;
use agon_bots::HostedGame;
use agon_games::with_game;
use agon_spec::{MatchSettings, MatchSpec, Recording};
use agon_tournament::{
    Database, DatabaseError, Entrant, Journal, JournalError, Match, Plan, Record,
    journal::{Contents, SyncPolicy},
};
use anyhow::{Context, Error, Result};

use self::{
    bots::Bots,
    folder::Folder,
    job_source::{Play, Playing},
    known::Known,
    progress::Progress,
};
use crate::{
    Exit,
    cli::{Replays, RunArgs, TournamentArgs, TournamentCommand},
    interrupts::{handle_interrupts, interrupted_between_matches},
    output::{DIM, plural, shell_word},
    series::{self, Series},
};

/// What is written is on the disk after this time, should the machine lose its power.
const SYNC: SyncPolicy = SyncPolicy::Every(Duration::from_secs(5));

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
            let plan = Plan::load(&whole)?;
            let folder = Folder::begin(&args.out.clone().unwrap_or_else(|| folder_for(file)))?;
            let others =
                args.reuse.iter().map(|path| Folder::open(path)).collect::<Result<Vec<_>>>()?;
            begin(&plan, &folder, args.fresh, &others, &args.run, out)
        }
        Some(TournamentCommand::Resume { folder, run }) => {
            let folder = Folder::open(folder)?;
            let plan = folder.plan()?.plan;
            begin(&plan, &folder, false, &[], run, out)
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
fn begin(
    plan: &Plan,
    folder: &Folder,
    fresh: bool,
    others: &[Folder],
    run: &RunArgs,
    out: &mut impl Write,
) -> Result<Exit> {
    handle_interrupts();
    let bots = Bots::of(plan, folder.path())?;
    let (journal, records) = open_journal(plan, folder, &bots, fresh)?;
    plan.save(&folder.plan_file())?;
    let infos = bots.infos();
    folder.write_bots(&infos)?;
    let mut known = Known::default();
    if !fresh {
        known.add(folder, folder.old_journals())?;
        for other in others {
            if !other.has_bots() {
                say!(
                    "note: {}: {OLDER}, so that none of its results is used",
                    other.path().display()
                );
            }
            known.add(other, std::iter::once(other.journal()).chain(other.old_journals()))?;
        }
    }
    let schedule = plan.resume(&records)?;
    let database = open_database(plan, folder, &records)?;
    let begun = Instant::now();
    let mut play = Play {
        plan,
        bots: &bots,
        folder,
        replays: run.replays,
        progress: Progress::begin(&schedule, records.len() as u64),
        schedule,
        journal,
        database,
        known,
        behind: Vec::new(),
        caught_up: begun,
        records,
        wave: None,
        queue: VecDeque::new(),
        playing: HashMap::new(),
        begun: 0,
        played: 0,
        reused: 0,
    };
    let jobs = run.jobs.or(plan.jobs.and_then(NonZero::new));
    let end = with_game!(plan.game, G => play_all::<G>(&mut play, jobs));
    // What is over is kept, whatever the end was.
    let kept = play.catch_up().and_then(|()| Ok(play.journal.synchronise()?));
    play.progress.finish(play.played, begun);
    // A journal that cannot be written is the reason itself.
    kept?;
    if let Err(error) = end {
        return stopped(&play, &infos, error, run.json, out);
    }
    if play.reused > 0 {
        say!("{} known already", plural(play.reused, "result"));
    }
    report::print((plan, &infos), &play.schedule, &play.records, run.json, out)?;
    if play.played > 0 {
        let path = shell_word(folder.path());
        say!("{DIM}`agon tournament report {path} --html FILE` makes a page of it{DIM:#}");
    }
    if matches!(end, Ok(End::Interrupted)) && !play.schedule.is_finished() {
        say!("interrupted; `agon tournament resume {}` continues", shell_word(folder.path()));
        return Ok(Exit::Interrupted);
    }
    Ok(Exit::Done)
}

/// Shows what was played before a match could not be.
fn stopped(
    play: &Play<'_>,
    infos: &[agon_core::BotInfo],
    error: Error,
    json: bool,
    out: &mut impl Write,
) -> Result<Exit> {
    if !play.records.is_empty() {
        report::print((play.plan, infos), &play.schedule, &play.records, json, out)?;
        let count = plural(play.records.len() as u64, "match");
        let folder = shell_word(play.folder.path());
        say!("{count} kept; `agon tournament resume {folder}` continues");
    }
    Err(error)
}

fn play_all<G: HostedGame>(play: &mut Play<'_>, jobs: Option<NonZero<usize>>) -> Result<End> {
    if play.schedule.is_finished() {
        return Ok(End::Done);
    }
    let plan = play.plan;
    let rules: G::Rules = serde_json::from_value(plan.settings.clone().into())
        .with_context(|| format!("the settings of {}", plan.file.display()))?;
    let recording = Recording { replay: play.replays != Replays::None, ..Recording::default() };
    let settings = MatchSettings { recording, ..series::settings_of_plan(plan) };
    let series = Series::new(MatchSpec::new::<G>(plan.game, &rules, settings), jobs);
    series.try_open::<G>(play.bots.all())?;
    series.run(&mut Playing { play, base: &series.base }, interrupted_between_matches())
}

/// The journal, and what is in it that still holds. One that does not hold any more is put aside:
/// what of it does is found by its keys.
fn open_journal(
    plan: &Plan,
    folder: &Folder,
    bots: &Bots,
    fresh: bool,
) -> Result<(Journal, Vec<Record>)> {
    let path = folder.journal();
    let digest = plan.digest();
    let why = match Journal::open(&path, &digest, SYNC) {
        Ok((journal, contents)) => {
            tell_of_torn_line(&contents);
            let changed = changed(plan, bots, &contents.records);
            if fresh && !contents.records.is_empty() {
                "all is played anew".to_owned()
            } else if changed.is_empty() {
                return Ok((journal, contents.records));
            } else if are_older(plan, bots, &contents.records) {
                format!("{OLDER}, and all is played again")
            } else {
                format!("{} changed since they played", changed.join(", "))
            }
        }
        Err(JournalError::OtherPlan { .. }) => "the plan has changed".to_owned(),
        Err(error) => return Err(error.into()),
    };
    let aside = folder.put_journal_aside()?;
    say!("{why}; the results so far are kept in {}", aside.display());
    let (journal, contents) = Journal::open(&path, &digest, SYNC)?;
    Ok((journal, contents.records))
}

/// The database, up to date with the journal. Without the program that writes it there is none, and
/// the tournament goes on: it can be made of the journal at any time.
fn open_database(plan: &Plan, folder: &Folder, records: &[Record]) -> Result<Option<Database>> {
    match Database::open(&folder.database(), plan, records, &|line| say!("{line}")) {
        Ok(database) => Ok(Some(database)),
        Err(DatabaseError::Part(error)) => {
            say!(
                "note: {error}. The journal keeps all results; once that program is there, `agon \
                 tournament resume {}` makes results.sqlite of it",
                shell_word(folder.path())
            );
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

fn tell_of_torn_line(contents: &Contents) {
    if contents.torn.is_some() {
        say!("the last line of the journal is not whole; its match is played again");
    }
}

/// Why results of older versions do not hold.
const OLDER: &str = "an older Agon played it, which did not note all files of bots and no versions \
    of built-in ones";

/// The match of a record, if all who played it are in the plan.
fn match_of(plan: &Plan, record: &Record) -> Option<Match> {
    let entrant =
        |name: &String| plan.bots.iter().position(|bot| bot.name == *name).map(Entrant::from_index);
    let seats = record.seats.iter().map(entrant).collect::<Option<_>>()?;
    Some(Match { id: record.id, seats, seed: record.seed })
}

/// Whether an older version of Agon wrote these results, with the same bots as far as that one
/// could tell.
fn are_older(plan: &Plan, bots: &Bots, records: &[Record]) -> bool {
    let is_older = |record: &Record| {
        match_of(plan, record)
            .is_none_or(|game| bots.old_key(plan, &game).to_string() == record.key)
    };
    records.iter().all(is_older)
}

/// The names of bots that are others today than in the matches that have been played.
fn changed<'a>(plan: &'a Plan, bots: &Bots, records: &'a [Record]) -> Vec<&'a str> {
    let still_holds = |record: &Record| {
        match_of(plan, record).is_none_or(|game| bots.key(plan, &game).to_string() == record.key)
    };
    let (hold, do_not): (Vec<&Record>, Vec<&Record>) =
        records.iter().partition(|record| still_holds(record));
    let of = |records: &[&'a Record]| -> BTreeSet<&'a str> {
        records.iter().flat_map(|record| record.seats.iter().map(String::as_str)).collect()
    };
    // Who is in a result that holds is the same.
    let same = of(&hold);
    let suspects = of(&do_not);
    let changed: BTreeSet<&str> = suspects.difference(&same).copied().collect();
    let names = if changed.is_empty() { suspects } else { changed };
    plan.bots.iter().map(|bot| bot.name.as_str()).filter(|name| names.contains(name)).collect()
}
