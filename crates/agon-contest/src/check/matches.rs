//! The topics of the examinations of `agon check`, and what an examination found; starts the
//! examined bot, and plays matches with it against built-in bots.
//!
//! What is seen here is the evidence that the examinations judge.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use std::{fmt, path::PathBuf, sync::PoisonError, thread};

use agon_arena::{
    ArenaError, BotEntry, CoreLease, Hosts, MatchSetup, Opener, PlayedMatch, ReplayTarget, core_for,
};
use agon_bots::{
    Bot, BotSpec, HostOptions, OpenError, Seat, ShutdownReport, Usage, open, unique_names,
};
use agon_core::{BotInfo, Evidence, Fault, FaultKind, Player, Seed};
use agon_games::any::GameKind;
use agon_match::{
    Control, MatchEvent, MatchOptions, MatchResult, Observer, ObserverError, Void, Waiting,
};
use anyhow::Result;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{PATIENCE, SharedRecord, WatchRecord, WatchedBot};

/// How an examination went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// No problem was found.
    Passed,
    /// Something may lose matches.
    Warning,
    /// Something is wrong.
    Failed,
    /// It was not examined, or there was nothing to examine.
    NotApplicable,
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Status::Passed => "passed",
            Status::Warning => "warning",
            Status::Failed => "failed",
            Status::NotApplicable => "not applicable",
        })
    }
}

/// What an examination is about; its number is what `agon check` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Topic {
    /// The bot is there and can be loaded.
    Opens = 1,
    /// It still runs a moment after its start.
    Starts,
    /// Its first answer comes in time.
    FirstAnswer,
    /// Its answers keep the rules.
    Legal,
    /// It writes only when it is asked.
    Protocol,
    /// All its answers come in time.
    Time,
    /// How much memory it takes.
    Memory,
    /// It ends when its input ends.
    EndOfInput,
    /// It answers the same to the same questions.
    SameAnswers,
    /// How much it writes to stderr.
    Stderr,
}

impl Topic {
    /// All topics, in order of their numbers.
    pub const ALL: [Topic; 10] = [
        Topic::Opens,
        Topic::Starts,
        Topic::FirstAnswer,
        Topic::Legal,
        Topic::Protocol,
        Topic::Time,
        Topic::Memory,
        Topic::EndOfInput,
        Topic::SameAnswers,
        Topic::Stderr,
    ];

    /// Returns the number, from 1.
    pub fn number(self) -> u8 {
        self as u8
    }

    /// Returns the name in reports.
    pub fn name(self) -> &'static str {
        const NAMES: [&str; 10] = [
            "opens",
            "starts",
            "first answer",
            "legal answers",
            "protocol",
            "time",
            "memory",
            "end of input",
            "same answers",
            "stderr",
        ];
        NAMES[self as usize - 1]
    }

    /// Returns the examination that a fault belongs to.
    ///
    /// `first`: the fault was at the first question of the match.
    fn of(fault: &Fault, first: bool) -> Topic {
        match fault.kind {
            FaultKind::Start => Topic::Starts,
            FaultKind::Early | FaultKind::Flood => Topic::Protocol,
            FaultKind::Memory => Topic::Memory,
            FaultKind::Timeout | FaultKind::Crash | FaultKind::Closed if first => {
                Topic::FirstAnswer
            }
            FaultKind::Timeout => Topic::Time,
            _ => Topic::Legal,
        }
    }
}

/// A fault, with the match in which it was seen.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Case {
    /// The number of the match, from 1.
    #[serde(rename = "match")]
    pub number: u32,
    /// The seed of the match.
    pub seed: Seed,
    /// The fault.
    pub fault: Fault,
}

/// What an examination found.
#[derive(Clone, Debug)]
pub struct Examination {
    /// What it is about.
    pub topic: Topic,
    /// How it went.
    pub status: Status,
    /// What was found, in a line.
    pub found: String,
    /// What to do about it.
    pub remedy: Option<String>,
    /// The faults that it is about.
    pub cases: Vec<Case>,
    /// What the bot wrote and how it ended, if no fault says so.
    pub seen: Evidence,
    /// What was measured; `null` if nothing was.
    pub figures: Value,
}

impl Examination {
    pub(super) fn new(topic: Topic, status: Status, found: impl Into<String>) -> Examination {
        let found = found.into();
        let seen = Evidence::default();
        Examination {
            topic,
            status,
            found,
            remedy: None,
            cases: Vec::new(),
            seen,
            figures: Value::Null,
        }
    }

    pub(super) fn passed(topic: Topic, found: impl Into<String>) -> Examination {
        Examination::new(topic, Status::Passed, found)
    }

    pub(super) fn not_applicable(topic: Topic, found: impl Into<String>) -> Examination {
        Examination::new(topic, Status::NotApplicable, found)
    }

    /// Makes an examination that was left out, because another one failed.
    pub(super) fn not_reached(topic: Topic, by: Topic) -> Examination {
        Examination::not_applicable(topic, format!("not examined, because {} failed", by.number()))
    }

    pub(super) fn failed(
        topic: Topic,
        found: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Examination {
        Examination {
            remedy: Some(remedy.into()),
            ..Examination::new(topic, Status::Failed, found)
        }
    }

    pub(super) fn with_cases(self, cases: Vec<Case>) -> Examination {
        Examination { cases, ..self }
    }

    pub(super) fn with_figures(self, figures: Value) -> Examination {
        Examination { figures, ..self }
    }
}

impl ExaminedBot {
    /// Returns all matches, the repeated one included.
    pub(super) fn all(&self) -> impl Iterator<Item = &Played> {
        self.matches.iter().chain(&self.again)
    }

    /// Returns how the bot reacted to the end of its input, for each match at whose end it still
    /// ran.
    pub(super) fn shutdowns(&self) -> impl Iterator<Item = &ShutdownReport> {
        self.all().filter_map(|played| played.record.shutdown.as_ref())
    }

    /// Returns the faults that belong to an examination.
    pub(super) fn cases(&self, topic: Topic) -> Vec<Case> {
        let mut cases = Vec::new();
        for played in self.all() {
            let first = played.record.turns.first().map_or(0, |think| think.step);
            let own =
                played.faults().filter(|fault| Topic::of(fault, fault.step == first) == topic);
            cases.extend(own.map(|fault| Case {
                number: played.number,
                seed: played.result.seed,
                fault: fault.clone(),
            }));
        }
        cases
    }

    /// Returns the first failed examination other than `but`, which kept matches from their end.
    pub(super) fn blocked_by(&self, but: Topic) -> Option<Topic> {
        let blamed = |topic: &Topic| match topic {
            Topic::Starts if !self.trial.runs() => true,
            Topic::Protocol if !self.trial.waits() => true,
            topic => !self.cases(*topic).is_empty(),
        };
        Topic::ALL.into_iter().filter(|&topic| topic != but).find(blamed)
    }
}

/// How long a bot that has been started is watched for its end or for output before it is asked
/// anything.
const TRIAL: Duration = Duration::from_millis(500);

/// After this many matches with faults no more are played: a bot that hangs would hang again.
const MAX_FAULTY: usize = 2;

/// The most attempts at a match that is void again and again.
pub const ATTEMPTS: usize = 3;

/// How many players the matches have.
const PLAYERS: usize = 2;

/// The bot, and the conditions of its examination.
pub struct Examiner<'a> {
    /// The game.
    pub kind: &'static dyn GameKind,
    /// The bot.
    pub spec: BotSpec,
    /// The settings of the game.
    pub rules: Value,
    /// How the bot is run.
    pub host: HostOptions,
    /// The seed of the first match.
    pub seed: Seed,
    /// How many matches it plays; one more repeats the first.
    pub games: u32,
    /// Matches end after this many turns, if not before.
    pub max_turns: Option<u64>,
    /// Ends the examination once it is set.
    pub stop: &'a AtomicBool,
    /// Follows the progress of the matches.
    pub watcher: &'a dyn Watcher,
}

/// Follows the progress of an examination, for people to see.
pub trait Watcher {
    /// A match has made progress.
    fn show(&self, progress: agon_core::Progress);

    /// The match waits for bots; called again and again as long as it does.
    fn waiting(&self, waiting: &Waiting) {
        let _ = waiting;
    }

    /// A match is over.
    fn ended(&self);

    /// Match `number` is void for this reason, and is played again as attempt `attempt` of
    /// [`ATTEMPTS`].
    fn void(&self, number: u32, void: Void, attempt: u32);
}

/// What was seen of the bot.
pub(super) struct ExaminedBot {
    pub(super) trial: TrialStart,
    pub(super) matches: Vec<Played>,
    /// The first match once more, with the same seed.
    pub(super) again: Option<Played>,
}

/// A bot that was started and not asked anything.
#[derive(Debug, Default)]
pub(super) struct TrialStart {
    pub(super) faults: Vec<Fault>,
    /// Its process at the end of the trial; `None` if it has none (yet).
    pub(super) usage: Option<Usage>,
    /// What it wrote; `None` if it does not write to a pipe.
    pub(super) unsolicited: Option<String>,
    pub(super) shutdown: Option<ShutdownReport>,
    /// What is probably wrong with how it was started.
    pub(super) hint: Option<String>,
}

impl TrialStart {
    /// Returns whether the bot can be asked.
    pub(super) fn runs(&self) -> bool {
        self.faults.is_empty() && self.usage.is_none_or(|usage| usage.ended.is_none())
    }

    /// Returns whether it waits to be asked. Earlier output could be taken for its first answer.
    pub(super) fn waits(&self) -> bool {
        self.unsolicited.as_ref().is_none_or(String::is_empty)
    }
}

/// A match that has been played.
pub(super) struct Played {
    /// From 1.
    pub(super) number: u32,
    /// The player that was the bot.
    pub(super) player: Player,
    pub(super) result: MatchResult,
    pub(super) record: WatchRecord,
}

impl Played {
    /// The bot's own faults.
    pub(super) fn faults(&self) -> impl Iterator<Item = &Fault> {
        self.result.faults.iter().filter(|fault| fault.player == self.player)
    }
}

/// A loaded bot, with what it sees of this machine.
type Opened = (BotInfo, Vec<PathBuf>, Box<dyn Bot>);

impl Examiner<'_> {
    /// Finds and loads the bot.
    pub(super) fn open(&self) -> Result<Opened, OpenError> {
        let spec = self.read()?;
        let bot = open(self.kind, &spec, &self.host)?;
        Ok((spec.info_in(self.kind)?, spec.sees(), bot))
    }

    /// Reads the bot's files as they are now.
    fn read(&self) -> Result<BotSpec, OpenError> {
        let builtins = self.kind.builtins();
        let builtins: Vec<&str> = builtins.iter().map(|builtin| builtin.name).collect();
        self.spec.clone().read(&self.host, &builtins)
    }

    /// Starts the bot, and plays if it starts and waits. `None` if somebody pressed Ctrl-C.
    pub(super) fn examine(&self, bot: Box<dyn Bot>) -> Result<Option<ExaminedBot>> {
        let trial = self.trial(bot)?;
        let mut seen = ExaminedBot { trial, matches: Vec::new(), again: None };
        if !seen.trial.runs() || !seen.trial.waits() {
            return Ok(Some(seen));
        }
        for number in 1..=self.games {
            let Some(played) = self.play(number)? else { return Ok(None) };
            seen.matches.push(played);
            // Another match would wait as long.
            if !seen.cases(Topic::FirstAnswer).is_empty() {
                break;
            }
            if seen.matches.iter().filter(|played| played.faults().next().is_some()).count()
                >= MAX_FAULTY
            {
                break;
            }
        }
        if seen.matches.iter().all(|played| played.faults().next().is_none()) {
            let Some(played) = self.play(1)? else { return Ok(None) };
            seen.again = Some(played);
        }
        Ok(Some(seen))
    }

    fn trial(&self, mut bot: Box<dyn Bot>) -> Result<TrialStart> {
        let game = self.kind.start(&self.rules, PLAYERS, self.seed)?;
        let names = self.names("somebody");
        let mut faults = Vec::new();
        bot.start(Seat { game: &game, player: Player(0), names: &names }, &mut faults);
        let begun = Instant::now();
        let mut usage = bot.usage();
        // Without a process there is nothing to wait for.
        while usage.is_some_and(|usage| usage.ended.is_none()) && begun.elapsed() < TRIAL {
            thread::sleep(Duration::from_millis(10));
            usage = bot.usage();
        }
        let unsolicited = bot.unsolicited_output();
        let shutdown = bot.shutdown(PATIENCE);
        let last_words = shutdown.as_ref().map_or("", |report| report.stderr_tail.as_str());
        let hint = bot.start_hint(last_words);
        bot.stop();
        Ok(TrialStart { faults, usage, unsolicited, shutdown, hint })
    }

    /// Plays the match of this number, and plays it again if it is void because the machine
    /// stalled.
    ///
    /// Seats change with each match; seeds and opponents change when the bot has had every seat.
    /// Returns `None` after Ctrl-C.
    fn play(&self, number: u32) -> Result<Option<Played>> {
        let index = (number - 1) as usize;
        let player = Player::from_index(index % PLAYERS);
        let builtins = self.kind.builtins();
        let opponent = builtins[(index / PLAYERS) % builtins.len()].name;
        let names = self.names(opponent);
        let opponent = format!("builtin:{opponent}").parse::<BotSpec>()?.named(&names[1]);
        let mut bots = vec![BotEntry::of(self.read()?)?, BotEntry::of(opponent)?];
        bots.rotate_right(player.index());
        let lease = core_for(self.kind, [&self.spec]);
        let setup = MatchSetup {
            kind: self.kind,
            rules: &self.rules,
            seed: self.seed.with_number(self.seed.number().wrapping_add((index / PLAYERS) as u64)),
            bots: &bots,
            host: &self.host,
            options: MatchOptions {
                core: lease.as_ref().map(CoreLease::core),
                faults_kept: 3,
                max_turns: self.max_turns,
                ..MatchOptions::default()
            },
            attempts: ATTEMPTS,
            replay: ReplayTarget::None,
            stop: self.stop,
        };
        let mut opener = WatchingOpener {
            seat: player.index(),
            listen: number == 1,
            record: SharedRecord::default(),
        };
        let mut observer = FirstFault { number, player, watcher: self.watcher };
        let played = setup.play(&mut opener, &mut observer);
        self.watcher.ended();
        let result = match played {
            Ok(PlayedMatch { played, .. }) => played.result,
            Err(ArenaError::Open { source, .. }) => return Err(source.into()),
            Err(error) => return Err(error.into()),
        };
        if self.stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let record =
            std::mem::take(&mut *opener.record.lock().unwrap_or_else(PoisonError::into_inner));
        Ok(Some(Played { number, player, result, record }))
    }

    /// Returns the bot's name and another one, which differ.
    fn names(&self, other: &str) -> Vec<String> {
        unique_names([self.spec.name(), other.to_owned()])
    }
}

/// Opens the examined bot under observation, once for each attempt.
struct WatchingOpener {
    seat: usize,
    listen: bool,
    /// What was seen in the last attempt.
    record: SharedRecord,
}

impl Opener for WatchingOpener {
    fn open(
        &mut self,
        kind: &'static dyn GameKind,
        seat: usize,
        bot: &BotEntry,
        host: &HostOptions,
    ) -> Result<Box<dyn Bot>, OpenError> {
        let opened = Hosts.open(kind, seat, bot, host)?;
        if seat != self.seat {
            return Ok(opened);
        }
        let (watched, record) = WatchedBot::new(opened, self.listen);
        self.record = record;
        Ok(Box::new(watched))
    }
}

/// Ends a match at the first fault of the examined bot: many bots repeat a mistake for ever, and
/// waiting for one that hangs takes time.
struct FirstFault<'a> {
    /// The number of the match.
    number: u32,
    player: Player,
    watcher: &'a dyn Watcher,
}

impl Observer for FirstFault<'_> {
    fn step(&mut self, event: &MatchEvent<'_>) -> Result<Control, ObserverError> {
        self.watcher.show(event.game.progress());
        let is_faulty = event.faults.iter().any(|fault| fault.player == self.player);
        Ok(if is_faulty { Control::Stop } else { Control::Continue })
    }

    fn waiting(&mut self, waiting: &Waiting) {
        self.watcher.waiting(waiting);
    }

    fn void(&mut self, played: &agon_match::Played, attempt: u32) -> Result<(), ObserverError> {
        if let Some(void) = played.result.void {
            self.watcher.void(self.number, void, attempt + 1);
        }
        Ok(())
    }
}
