//! From a plan and a folder to the last result.

use std::{
    collections::{HashMap, VecDeque},
    num::NonZero,
    sync::{Arc, atomic::AtomicBool},
    time::{Duration, Instant},
};

use agon_arena::{ArenaGame, End};
use agon_bots::HostOptions;
use agon_core::BotInfo;
use agon_games::with_game;
use agon_spec::{MatchSettings, MatchSpec, Recording};
use agon_text::shell_word;
use agon_tournament::{
    Database, DatabaseError, Journal, JournalError, Match, Plan, Record, Schedule,
    journal::SyncPolicy,
};
use anyhow::{Context, Result};

use super::{
    Bots, Folder, Watcher,
    held::{OLDER, are_older, changed},
    job_source::Playing,
    known::Known,
};
use crate::{
    Notice, Tell,
    series::{Series, settings_of_plan},
};

/// What is written is on the disk after this time, should the machine lose its power.
const SYNC: SyncPolicy = SyncPolicy::Every(Duration::from_secs(5));

/// Options of a run of a tournament.
#[derive(Clone, Copy, Debug, Default)]
pub struct RunOptions {
    /// Whether all is played anew.
    pub fresh: bool,
    /// Which replays are kept.
    pub replays: KeepReplays,
    /// Matches at a time; `None` for as many as the plan says.
    pub workers: Option<NonZero<usize>>,
}

/// Which replays of a tournament are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeepReplays {
    /// Those of all matches.
    #[default]
    All,
    /// Those of matches with faults.
    Faults,
    /// None.
    None,
}

/// A tournament that is being played.
pub struct Tournament<'a> {
    pub(super) plan: &'a Plan,
    pub(super) folder: &'a Folder,
    pub(super) bots: Bots,
    pub(super) options: RunOptions,
    pub(super) schedule: Schedule,
    pub(super) journal: Journal,
    /// Unless the program that writes it is missing.
    pub(super) database: Option<Database>,
    pub(super) known: Known,
    /// Records that the database lacks.
    pub(super) behind: Vec<Record>,
    pub(super) caught_up: Instant,
    /// All records.
    pub(super) records: Vec<Record>,
    /// The wave that the queue is of.
    pub(super) wave: Option<usize>,
    /// Matches of the wave that have not begun.
    pub(super) queue: VecDeque<Match>,
    /// Matches that are being played, by ticket, with their keys.
    pub(super) playing: HashMap<u64, (Match, String)>,
    pub(super) begun: u64,
    /// How many were played.
    pub(super) played: u64,
    /// How many were known.
    pub(super) reused: u64,
}

impl<'a> Tournament<'a> {
    /// Reads the bots, and takes in what was played before: in this folder, or in `others` with
    /// the same bots.
    ///
    /// # Errors
    /// If a bot cannot be read, or the folder is in use, damaged or belongs to something else.
    pub fn open(
        plan: &'a Plan,
        folder: &'a Folder,
        others: &[Folder],
        options: RunOptions,
        machine: &HostOptions,
        tell: Tell<'_>,
    ) -> Result<Tournament<'a>> {
        let bots = Bots::of(plan, folder.path(), machine, tell)?;
        let (journal, records) = open_journal(plan, folder, &bots, options.fresh, tell)?;
        plan.save(&folder.plan_file())?;
        folder.write_bots(&bots.infos())?;
        let mut known = Known::default();
        if !options.fresh {
            known.add(folder, folder.old_journals())?;
            for other in others {
                if !other.has_bots() {
                    let other = other.path().display();
                    tell(Notice::Note(format!(
                        "{other}: {OLDER}, so that none of its results is used"
                    )));
                }
                known.add(other, std::iter::once(other.journal()).chain(other.old_journals()))?;
            }
        }
        let schedule = plan.resume(&records)?;
        let database = open_database(plan, folder, &records, tell)?;
        Ok(Tournament {
            plan,
            folder,
            bots,
            options,
            schedule,
            journal,
            database,
            known,
            behind: Vec::new(),
            caught_up: Instant::now(),
            records,
            wave: None,
            queue: VecDeque::new(),
            playing: HashMap::new(),
            begun: 0,
            played: 0,
            reused: 0,
        })
    }

    /// Plays until all is played, or `stop` is set. Call [`Tournament::close`] whatever the end is.
    ///
    /// # Errors
    /// If a match cannot be played, or its result cannot be kept.
    pub fn play(
        &mut self,
        machine: &HostOptions,
        watcher: &mut dyn Watcher,
        stop: Arc<AtomicBool>,
    ) -> Result<End> {
        with_game!(self.plan.game, G => self.play_all::<G>(machine, watcher, stop))
    }

    /// Keeps what is over: brings the database up to date, and waits until all is on the disk.
    ///
    /// # Errors
    /// If that cannot be done.
    pub fn close(&mut self) -> Result<()> {
        self.catch_up()?;
        Ok(self.journal.synchronise()?)
    }

    fn play_all<G: ArenaGame>(
        &mut self,
        machine: &HostOptions,
        watcher: &mut dyn Watcher,
        stop: Arc<AtomicBool>,
    ) -> Result<End> {
        if self.schedule.is_finished() {
            return Ok(End::Done);
        }
        let plan = self.plan;
        let rules: G::Rules = serde_json::from_value(plan.settings.clone().into())
            .with_context(|| format!("the settings of {}", plan.file.display()))?;
        let replay = self.options.replays != KeepReplays::None;
        let recording = Recording { replay, ..Recording::default() };
        let settings = MatchSettings { recording, ..settings_of_plan(plan) };
        let workers = self.options.workers.or(plan.jobs.and_then(NonZero::new));
        let base = MatchSpec::new::<G>(plan.game, &rules, settings);
        let series = Series::new(base, machine, workers);
        series.try_open::<G>(self.bots.all())?;
        series.run(&mut Playing { tournament: self, base: &series.base, watcher }, stop)
    }

    /// The schedule as it stands.
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// The results so far.
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// What is known of the bots, in order of the plan.
    pub fn infos(&self) -> Vec<BotInfo> {
        self.bots.infos()
    }

    /// How many matches this run has played.
    pub fn played(&self) -> u64 {
        self.played
    }

    /// How many results were known already.
    pub fn reused(&self) -> u64 {
        self.reused
    }
}

/// The journal, and what is in it that still holds. One that does not hold any more is put aside:
/// what of it does is found by its keys.
fn open_journal(
    plan: &Plan,
    folder: &Folder,
    bots: &Bots,
    fresh: bool,
    tell: Tell<'_>,
) -> Result<(Journal, Vec<Record>)> {
    let path = folder.journal();
    let digest = plan.digest();
    let why = match Journal::open(&path, &digest, SYNC) {
        Ok((journal, contents)) => {
            if contents.torn.is_some() {
                let text = "the last line of the journal is not whole; its match is played again";
                tell(Notice::Info(text.to_owned()));
            }
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
    let aside = aside.display();
    tell(Notice::Info(format!("{why}; the results so far are kept in {aside}")));
    let (journal, contents) = Journal::open(&path, &digest, SYNC)?;
    Ok((journal, contents.records))
}

/// The database, up to date with the journal. Without the program that writes it there is none, and
/// the tournament goes on: it can be made of the journal at any time.
fn open_database(
    plan: &Plan,
    folder: &Folder,
    records: &[Record],
    tell: Tell<'_>,
) -> Result<Option<Database>> {
    let announce = |line: &str| tell(Notice::Info(line.to_owned()));
    match Database::open(&folder.database(), plan, records, &announce) {
        Ok(database) => Ok(Some(database)),
        Err(DatabaseError::Part(error)) => {
            tell(Notice::Note(format!(
                "{error}. The journal keeps all results; once that program is there, `agon \
                 tournament resume {}` makes results.sqlite of it",
                shell_word(folder.path())
            )));
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}
