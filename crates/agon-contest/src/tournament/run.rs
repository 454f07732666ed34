//! Runs a tournament: reads bots and earlier results, hands the matches that are missing to a pool,
//! and keeps their results.
//!
//! `agon tournament` opens a [`Tournament`], plays it and closes it. It follows the progress
//! through [`Watcher`].

use std::collections::{HashMap, VecDeque};
use std::{num::NonZero, sync::Arc, sync::atomic::AtomicBool, time::Duration};

use agon_arena::{ArenaError, End, Job, JobSource, Next, WaitWatcher};
use agon_bots::HostOptions;
use agon_core::{Fault, FaultKind};
use agon_match::spec::{MatchOutcome, MatchSettings, MatchSpec, Recording};
use agon_match::{Control, MatchResult};
use anyhow::{Context, Error, Result, bail};
use clap::ValueEnum;

use super::bots::{Known, OLDER, Roster, are_older, changed};
use super::{Bots, Folder, Shard};
use crate::journal::{OtherPlan, SeatFault, SyncPolicy};
use crate::plan::{Absent, Missing};
use crate::report::{Report, ReportOptions};
use crate::series::{Place, Series, settings_of_plan};
use crate::{Journal, Match, Notice, Outcome, Plan, Record, Schedule, Tell};

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

/// Which replays of a tournament are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum KeepReplays {
    /// Those of all matches.
    #[default]
    All,
    /// Those of matches in which a bot did something wrong.
    Faults,
    /// None.
    None,
}

/// A tournament that is being played.
pub struct Tournament<'a> {
    /// The plan with all its bots.
    whole: &'a Plan,
    /// The plan as it is scheduled.
    plan: Plan,
    absent: Vec<Absent>,
    folder: &'a Folder,
    bots: Bots,
    /// How it is played.
    pub options: RunOptions,
    /// The matches to play.
    pub schedule: Schedule,
    journal: Journal,
    known: Known,
    /// All records.
    pub records: Vec<Record>,
    /// The wave of the matches in `queue`.
    wave: Option<usize>,
    /// Matches of the wave that have not begun.
    queue: VecDeque<Match>,
    /// Matches that are being played, by ticket, with their keys.
    playing: HashMap<u64, (Match, String)>,
    begun: u64,
    /// How many matches this run has played.
    pub played: u64,
    /// How many results of other runs were reused.
    pub reused: u64,
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
    pub fn play(
        &mut self,
        machine: &HostOptions,
        watcher: &mut dyn Watcher,
        stop: Arc<AtomicBool>,
    ) -> Result<End> {
        if self.schedule.is_finished() {
            return Ok(End::Done);
        }
        let plan = &self.plan;
        let rules = plan.game.kind().full_rules(&plan.settings.clone().into());
        let rules = rules.with_context(|| format!("the settings of {}", plan.file.display()))?;
        let replay = self.options.replays != KeepReplays::None;
        let recording = Recording { replay, ..Recording::default() };
        let settings = MatchSettings { recording, ..settings_of_plan(plan) };
        let mut place = self.options.place.clone();
        place.workers = place.workers.or(plan.jobs.and_then(NonZero::new));
        let base = MatchSpec::new(plan.game, rules, settings);
        let series = Series::new(base, machine, &place, watcher.waits());
        series.run(&mut Playing { tournament: self, base: &series.base, watcher }, stop)
    }

    /// Waits until all results are on the disk.
    pub fn close(&mut self) -> Result<()> {
        self.journal.synchronise()
    }

    /// Returns the report after the results so far.
    pub fn report(&self, options: &ReportOptions) -> Result<Report<'_>> {
        let mut report = Report::new(&self.plan, &self.schedule, &self.records, options)?;
        report.identify(&self.bots.infos());
        report.leave_out(self.whole, &self.absent);
        Ok(report)
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
        Err(error) if error.is::<OtherPlan>() => "the plan has changed".to_owned(),
        Err(error) => return Err(error),
    };
    let aside = folder.put_journal_aside()?;
    let aside = aside.display();
    tell(Notice::Info(format!("{why}; the results so far are kept in {aside}")));
    let (journal, contents) = Journal::open(&path, &digest, SYNC)?;
    Ok((journal, contents.records))
}

/// Follows the progress of a tournament, for people to see.
pub trait Watcher {
    /// `matches` are over, counting earlier runs.
    fn over(&mut self, schedule: &Schedule, matches: u64);

    /// A match of this run is over.
    fn played(&mut self) {}

    /// A bot cannot be started any more: it forfeits all matches that are open.
    fn forfeits(&mut self, name: &str, reason: &str);

    /// Returns what follows matches that wait for bots; `None` if nothing does.
    fn waits(&self) -> Option<Arc<dyn WaitWatcher>> {
        None
    }
}

/// A tournament as a source of matches for a pool.
pub(super) struct Playing<'a, 'b> {
    pub(super) tournament: &'a mut Tournament<'b>,
    /// A match without bots.
    pub(super) base: &'a MatchSpec,
    pub(super) watcher: &'a mut dyn Watcher,
}

impl Playing<'_, '_> {
    fn show(&mut self) {
        let Tournament { schedule, records, .. } = &*self.tournament;
        self.watcher.over(schedule, records.len() as u64);
    }
}

impl JobSource for Playing<'_, '_> {
    type Error = Error;

    fn next(&mut self) -> Result<Next> {
        let known = self.tournament.reused;
        let next = self.tournament.next_match()?;
        if self.tournament.reused > known {
            self.show();
        }
        let Some((ticket, game)) = next else {
            let Tournament { schedule, playing, .. } = &*self.tournament;
            // A ladder without a limit ends when nobody is left to play.
            let is_over = schedule.is_finished() || playing.is_empty();
            return Ok(if is_over { Next::Done } else { Next::Wait });
        };
        let seats = self.tournament.bots.seats(&game);
        Ok(Next::Job(Job::new(ticket, self.base, game.seed, seats)))
    }

    fn over(
        &mut self,
        ticket: u64,
        outcome: MatchOutcome,
        replay: Option<Vec<u8>>,
    ) -> Result<Control> {
        self.watcher.played();
        self.tournament.arrive(ticket, &outcome, replay)?;
        self.show();
        Ok(Control::Continue)
    }

    fn failed(&mut self, ticket: u64, error: ArenaError) -> Result<Control> {
        let Tournament { plan, whole, .. } = &*self.tournament;
        let at_fault = error.bot_at_fault().filter(|_| whole.about.missing != Missing::Stop);
        let numbered = at_fault.and_then(|(name, reason)| {
            Some((plan.bots.iter().position(|bot| bot.name == name)?, reason))
        });
        let Some((number, reason)) = numbered else {
            return Err(self.tournament.with_replay(ticket, error));
        };
        if self.tournament.exclude(number, &reason)? {
            self.watcher.forfeits(&self.tournament.plan.bots[number].name, &reason);
        }
        let (game, _) =
            self.tournament.playing.remove(&ticket).expect("only what was begun is over");
        self.tournament.forfeit(&game)?;
        self.show();
        Ok(Control::Continue)
    }
}

impl Tournament<'_> {
    /// Returns the next match that can be played now, with its ticket. Matches before it whose
    /// result is known count without being played.
    fn next_match(&mut self) -> Result<Option<(u64, Match)>> {
        loop {
            if self.queue.is_empty() && self.wave != Some(self.schedule.wave()) {
                self.wave = Some(self.schedule.wave());
                let is_here =
                    |game: &Match| self.options.shard.is_none_or(|of| of.has(&self.plan, game.id));
                self.queue = self.schedule.missing().into_iter().filter(is_here).collect();
            }
            let Some(game) = self.queue.pop_front() else { return Ok(None) };
            let key = self.bots.key(&self.plan, &game);
            let forfeits = self.bots.forfeits(&game);
            if !forfeits.is_empty() {
                // A result from this tournament counts, even if another bot has changed and a new
                // journal was started.
                if self.bots.are_known(&game)
                    && let Some((record, from)) = self.known.take_of(&key, self.folder)
                {
                    self.reuse(&game, record, &from)?;
                    continue;
                }
                if self.is_deserted() {
                    return Ok(None);
                }
                self.forfeit(&game)?;
                continue;
            }
            if self.bots.are_known(&game)
                && let Some((record, from)) = self.known.take(&key)
            {
                self.reuse(&game, record, &from)?;
                continue;
            }
            self.begun += 1;
            let ticket = self.begun;
            self.playing.insert(ticket, (game.clone(), key));
            return Ok(Some((ticket, game)));
        }
    }

    /// Returns whether a schedule without an end has too few bots left for any match.
    fn is_deserted(&self) -> bool {
        self.schedule.planned().is_none() && self.bots.playing() < self.plan.players
    }

    /// Has a bot forfeit all matches that are open, because it cannot be started. Returns whether
    /// it played until now.
    fn exclude(&mut self, number: usize, reason: &str) -> Result<bool> {
        let bot = &self.plan.bots[number];
        if !self.bots.forfeit(number, bot, reason.to_owned()) {
            return Ok(false);
        }
        self.absent.push(Absent::new(&bot.name, reason).forfeiting());
        self.whole.save(&self.folder.plan_file(), &self.absent, &self.plan.digest())?;
        Ok(true)
    }

    /// Keeps the result of a match that bots forfeit.
    fn forfeit(&mut self, game: &Match) -> Result<()> {
        let key = self.bots.forfeit_key(&self.plan, game);
        let names = self.plan.names(game);
        self.keep(Record::forfeit(game, key, names, self.bots.forfeits(game)))
    }

    /// Keeps the result of a match that this run has played.
    fn arrive(
        &mut self,
        ticket: u64,
        outcome: &MatchOutcome,
        replay: Option<Vec<u8>>,
    ) -> Result<()> {
        let (game, key) = self.playing.remove(&ticket).expect("only what was begun is over");
        let faults = faults(&outcome.result);
        let keep = self.options.replays == KeepReplays::All
            || faults.iter().any(|faults| !faults.is_empty());
        let replay =
            replay.filter(|_| keep).map(|bytes| (format!("{}-{}.agon", game.id, &key[..8]), bytes));
        if let Some((name, bytes)) = &replay {
            self.folder.write_replay(name, bytes)?;
        }
        let players = &outcome.result.standing.players;
        let places = players.iter().map(|player| player.place).collect();
        let scores = players.iter().map(|player| player.score).collect();
        self.played += 1;
        self.keep(Record {
            key,
            faults,
            void: outcome.void.len() as u32,
            ms: outcome.ms,
            replay: replay.map(|(name, _)| name),
            machine: outcome.machine.clone(),
            ..Record::new(&game, self.plan.names(&game), Outcome::new(places, scores))
        })
    }

    /// Keeps the replay of a match that panicked, and names it in the error.
    fn with_replay(&self, ticket: u64, mut error: ArenaError) -> Error {
        if let ArenaError::Panic { message, replay } = &mut error
            && let (Some(bytes), Some((game, _))) = (replay.take(), self.playing.get(&ticket))
        {
            let name = format!("{}-panic.agon", game.id);
            let path = self.folder.replays().join(&name);
            match self.folder.write_replay(&name, &bytes) {
                Ok(()) => *message += &format!("; {} has the steps before it", path.display()),
                Err(error) => *message += &format!("; {error:#}"),
            }
        }
        error.into()
    }

    /// Counts the result of another run.
    fn reuse(&mut self, game: &Match, record: Record, from: &Arc<Folder>) -> Result<()> {
        let there = |name: &String| self.folder.take_replay(from, name);
        let replay = record.replay.filter(|_| self.options.replays != KeepReplays::None);
        let has_replay = replay.as_ref().map(there).transpose()?.unwrap_or(false);
        self.reused += 1;
        self.keep(Record {
            id: game.id,
            seats: self.plan.names(game),
            replay: replay.filter(|_| has_replay),
            ..record
        })
    }

    /// Writes a result to the journal, and enters it into the schedule.
    fn keep(&mut self, record: Record) -> Result<()> {
        self.journal.append(&record)?;
        self.schedule.record(record.id, record.outcome())?;
        self.records.push(record);
        Ok(())
    }
}

/// Returns the fault of this kind that says most: the one that ended the bot, or else the first.
fn telling(result: &MatchResult, seat: usize, kind: FaultKind) -> Option<&Fault> {
    let mut own =
        result.faults.iter().filter(|fault| fault.player.index() == seat && fault.kind == kind);
    let ended = kind == FaultKind::Timeout && result.players[seat].stopped_for_timeouts;
    if ended { own.next_back() } else { own.next() }
}

/// Returns the faults of the bots, in order of seats.
fn faults(result: &MatchResult) -> Vec<Vec<SeatFault>> {
    let of = |seat: usize| {
        let counts = &result.players[seat].faults;
        let fault = |(&kind, &count)| match telling(result, seat, kind) {
            Some(fault) => SeatFault {
                step: Some(fault.step),
                stderr: end(&fault.evidence.stderr_tail, SeatFault::MAX_STDERR).to_owned(),
                ..SeatFault::new(kind, count, fault.to_string())
            },
            None => SeatFault::new(kind, count, ""),
        };
        counts.iter().map(fault).collect()
    };
    (0..result.players.len()).map(of).collect()
}

/// Returns the end of a text: whole characters in at most `most` bytes, and whole lines unless a
/// line is very long.
fn end(text: &str, most: usize) -> &str {
    let kept = &text[text.ceil_char_boundary(text.len().saturating_sub(most))..];
    if kept.len() == text.len() {
        return text;
    }
    match kept.split_once('\n') {
        Some((cut, lines)) if cut.len() < most / 2 => lines,
        _ => kept,
    }
}
