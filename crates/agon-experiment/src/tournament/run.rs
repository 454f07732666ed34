//! Runs a tournament: reads bots and earlier results, then plays the matches that are missing.
//!
//! `agon tournament` opens a [`Tournament`], plays it and closes it.

use std::{
    collections::{HashMap, VecDeque},
    fmt,
    num::NonZero,
    str::FromStr,
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

use agon_arena::{ArenaGame, End};
use agon_bots::HostOptions;
use agon_core::BotInfo;
use agon_games::with_game;
use agon_match::spec::{MatchSettings, MatchSpec, Recording};
use agon_tournament::{
    Journal, JournalError, Match, MatchId, PairingId, Plan, Record, Schedule,
    journal::SyncPolicy,
    plan::{Absent, FormatPlan},
};
use anyhow::{Context, Result, bail};

use super::{
    Bots, Folder, Watcher,
    held::{OLDER, are_older, changed},
    job_source::Playing,
    known::Known,
    roster::Roster,
};
use crate::{
    Notice, Tell,
    series::{Place, Series, settings_of_plan},
};

/// Results are on the disk after this time at most, in case the machine loses its power.
const SYNC: SyncPolicy = SyncPolicy::Every(Duration::from_secs(5));

/// Options of a run of a tournament.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    /// Whether all matches are played again, even those with known results.
    pub fresh: bool,
    /// Which replays are kept.
    pub replays: KeepReplays,
    /// Which part of the matches is played; all if there is none.
    pub shard: Option<Shard>,
    /// Where matches are played; on this machine, so many at a time as the plan says, if nothing
    /// else is said.
    pub place: Place,
}

/// A part of a tournament, for one of several machines: `2/5` is the second of five.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Which one, from 0.
    index: u32,
    /// How many there are.
    count: u32,
}

impl Shard {
    /// Returns whether a match of a plan belongs to this part. Matches on one seed stay together.
    pub(super) fn has(self, plan: &Plan, id: MatchId) -> bool {
        let PairingId { round, group, pairing } = id.pairing;
        let seed = u64::from(id.number) / plan.players as u64;
        let place = seed + [round, group, pairing].map(u64::from).iter().sum::<u64>();
        place % u64::from(self.count) == u64::from(self.index)
    }

    /// Returns it as it is written: `2/5`.
    pub(super) fn text(self) -> String {
        format!("{}/{}", self.index + 1, self.count)
    }

    /// Checks that all machines know the same matches beforehand.
    fn check(self, plan: &Plan) -> Result<()> {
        if !matches!(plan.format, FormatPlan::RoundRobin { .. } | FormatPlan::Gauntlet { .. }) {
            bail!(
                "--shard: in this format later matches depend on the results of earlier ones, so \
                 that it has no parts; `--on` plays it on several machines"
            );
        }
        Ok(())
    }
}

impl FromStr for Shard {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Shard, &'static str> {
        let read = || {
            let (number, count) = text.split_once('/')?;
            let (number, count) = (number.parse::<u32>().ok()?, count.parse().ok()?);
            (1..=count).contains(&number).then(|| Shard { index: number - 1, count })
        };
        read().ok_or("a part is written like 2/5, the second of five")
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "part {} of {}", self.index + 1, self.count)
    }
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
    /// The plan with all its bots.
    pub(super) whole: &'a Plan,
    /// The plan as it is scheduled.
    pub(super) plan: Plan,
    pub(super) absent: Vec<Absent>,
    pub(super) folder: &'a Folder,
    pub(super) bots: Bots,
    pub(super) options: RunOptions,
    pub(super) schedule: Schedule,
    pub(super) journal: Journal,
    pub(super) known: Known,
    /// All records.
    pub(super) records: Vec<Record>,
    /// The wave of the matches in `queue`.
    pub(super) wave: Option<usize>,
    /// Matches of the wave that have not begun.
    pub(super) queue: VecDeque<Match>,
    /// Matches that are being played, by ticket, with their keys.
    pub(super) playing: HashMap<u64, (Match, String)>,
    pub(super) begun: u64,
    /// How many matches this run has played.
    pub(super) played: u64,
    /// How many results of other runs were reused.
    pub(super) reused: u64,
}

impl<'a> Tournament<'a> {
    /// Reads the bots and the earlier results: those of this folder, and those of `others` whose
    /// matches have the same keys.
    ///
    /// # Errors
    /// If a bot cannot be read, the plan has no seed yet, or the folder is in use, damaged or
    /// belongs to something else.
    pub fn open(
        whole: &'a Plan,
        folder: &'a Folder,
        others: &[Folder],
        options: RunOptions,
        machine: &HostOptions,
        tell: Tell<'_>,
    ) -> Result<Tournament<'a>> {
        if !whole.says_seed {
            bail!("the plan has no seed yet; `Folder::settle_seed` gives it one");
        }
        if let Some(shard) = options.shard {
            shard.check(whole)?;
        }
        let Roster { plan, bots, absent } =
            Roster::of(whole, folder, machine, &options.place, tell)?;
        let (journal, records) = open_journal(&plan, folder, &bots, options.fresh, tell)?;
        whole.save(&folder.plan_file(), &absent, &plan.digest())?;
        folder.set_part(options.shard)?;
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
        Ok(Tournament {
            whole,
            plan,
            absent,
            folder,
            bots,
            options,
            schedule,
            journal,
            known,
            records,
            wave: None,
            queue: VecDeque::new(),
            playing: HashMap::new(),
            begun: 0,
            played: 0,
            reused: 0,
        })
    }

    /// Plays until the tournament is over, or `stop` is set. Call [`Tournament::close`] afterwards,
    /// even after an error.
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

    /// Waits until all results are on the disk.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn close(&mut self) -> Result<()> {
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
        let plan = &self.plan;
        let rules: G::Rules = serde_json::from_value(plan.settings.clone().into())
            .with_context(|| format!("the settings of {}", plan.file.display()))?;
        let replay = self.options.replays != KeepReplays::None;
        let recording = Recording { replay, ..Recording::default() };
        let settings = MatchSettings { recording, ..settings_of_plan(plan) };
        let mut place = self.options.place.clone();
        place.workers = place.workers.or(plan.jobs.and_then(NonZero::new));
        let base = MatchSpec::new::<G>(plan.game, &rules, settings);
        let series = Series::watched(base, machine, &place, watcher.waits());
        series.run(&mut Playing { tournament: self, base: &series.base, watcher }, stop)
    }

    /// Returns which part of the matches is played, if it is not all of them.
    pub fn shard(&self) -> Option<Shard> {
        self.options.shard
    }

    /// Returns the plan with all its bots.
    pub fn whole(&self) -> &Plan {
        self.whole
    }

    /// Returns the plan as it is scheduled: without the bots that are left out.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Returns the bots that are left out.
    pub fn absent(&self) -> &[Absent] {
        &self.absent
    }

    /// Returns the schedule after the results so far.
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// Returns the results so far.
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// Returns what is known of the bots, in order of the plan.
    pub fn infos(&self) -> Vec<BotInfo> {
        self.bots.infos()
    }

    /// How many matches this run has played.
    pub fn played(&self) -> u64 {
        self.played
    }

    /// Returns how many results of other runs were reused.
    pub fn reused(&self) -> u64 {
        self.reused
    }
}

/// Opens the journal, and returns it with its results.
///
/// If some of them do not hold any more, the journal is put aside and a new one is started. The
/// results that do hold are found by their keys later.
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
