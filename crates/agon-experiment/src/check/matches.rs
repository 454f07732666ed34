//! Starts an examined bot, and plays matches with it against built-in bots.
//!
//! What is seen here is the evidence that the examinations of `agon check` judge.

use std::{
    path::PathBuf,
    sync::{
        PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use agon_arena::{
    ArenaError, ArenaGame, BotEntry, CoreLease, Hosts, MatchSetup, Opener, PlayedMatch,
    ReplayTarget, core_for,
};
use agon_bots::{Bot, BotSpec, HostOptions, OpenError, Seat, ShutdownReport, Usage, unique_names};
use agon_core::{BotInfo, Fault, Game, Player, Seed};
use agon_match::{
    Control, MatchEvent, MatchOptions, MatchResult, Observer, ObserverError, Void, Waiting,
};
use anyhow::Result;

use super::watched::{PATIENCE, SharedRecord, WatchRecord, WatchedBot};

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
pub struct Examiner<'a, G: ArenaGame> {
    /// The bot.
    pub spec: BotSpec,
    /// The settings of the game.
    pub rules: G::Rules,
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
type Opened<G> = (BotInfo, Vec<PathBuf>, Box<dyn Bot<G>>);

impl<G: ArenaGame> Examiner<'_, G> {
    /// Finds and loads the bot.
    pub(super) fn open(&self) -> Result<Opened<G>, OpenError> {
        let spec = self.read()?;
        let bot = G::open_bot(&spec, &self.host)?;
        Ok((spec.info_in::<G>()?, spec.sees(), bot))
    }

    /// Reads the bot's files as they are now.
    fn read(&self) -> Result<BotSpec, OpenError> {
        let builtins: Vec<&'static str> = G::BUILTINS.iter().map(|builtin| builtin.name).collect();
        self.spec.clone().read(&self.host, &builtins)
    }

    /// Starts the bot, and plays if it starts and waits. `None` if somebody pressed Ctrl-C.
    pub(super) fn examine(&self, bot: Box<dyn Bot<G>>) -> Result<Option<ExaminedBot>> {
        let trial = self.trial(bot)?;
        let mut seen = ExaminedBot { trial, matches: Vec::new(), again: None };
        if !seen.trial.runs() || !seen.trial.waits() {
            return Ok(Some(seen));
        }
        for number in 1..=self.games {
            let Some(played) = self.play(number)? else { return Ok(None) };
            seen.matches.push(played);
            // Another match would wait as long.
            if seen.lacks_first_answer() {
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

    fn trial(&self, mut bot: Box<dyn Bot<G>>) -> Result<TrialStart> {
        let game = G::new(&self.rules, PLAYERS, self.seed)?;
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
        let opponent = G::BUILTINS[(index / PLAYERS) % G::BUILTINS.len()].name;
        let names = self.names(opponent);
        let opponent = format!("builtin:{opponent}").parse::<BotSpec>()?.named(&names[1]);
        let mut bots = vec![BotEntry::of(self.read()?)?, BotEntry::of(opponent)?];
        bots.rotate_right(player.index());
        let lease = core_for([&self.spec]);
        let setup = MatchSetup::<G> {
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

impl<G: ArenaGame> Opener<G> for WatchingOpener {
    fn open(
        &mut self,
        seat: usize,
        bot: &BotEntry,
        host: &HostOptions,
    ) -> Result<Box<dyn Bot<G>>, OpenError> {
        let opened = Hosts.open(seat, bot, host)?;
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

impl<G: Game> Observer<G> for FirstFault<'_> {
    fn step(&mut self, event: &MatchEvent<'_, G>) -> Result<Control, ObserverError> {
        self.watcher.show(event.game.progress());
        let is_faulty = event.faults.iter().any(|fault| fault.player == self.player);
        Ok(if is_faulty { Control::Stop } else { Control::Continue })
    }

    fn waiting(&mut self, waiting: &Waiting) {
        self.watcher.waiting(waiting);
    }

    fn void(&mut self, played: &agon_match::Played<G>, attempt: u32) -> Result<(), ObserverError> {
        if let Some(void) = played.result.void {
            self.watcher.void(self.number, void, attempt + 1);
        }
        Ok(())
    }
}
