//! The referee: plays one match step by step.
//!
//! It asks the bots, hands their answers to the game, and informs the observer and the replay.
//! `agon-arena` plays matches with it, and `agon replay ask` continues recorded ones.

use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};
use std::{collections::BTreeMap, fmt, num::NonZero, thread};

use agon_core::{BotInfo, Evidence, Fault, FaultKind, Player, runs_by_player};
use agon_games::any::{AnyAnswers, AnyGame};
use thiserror::Error;
use tracing::debug;

use crate::bot::{Bot, Shortage};
use crate::replay::{Diagnosis, End, FaultTally, WriteError, Writer};
use crate::seat::{Seat, panic_message};
use crate::void::{Stalls, Suspect, millis};
use crate::{
    Control, FaultBook, MatchEvent, MatchResult, Observer, ObserverError, Played, PlayerResult,
    TurnNote, faults::illegal, pin::Pinned, round,
};

/// Options of a match beside the rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchOptions {
    /// Stop when this many turns of the game are over.
    pub max_turns: Option<u64>,
    /// Take at least this long for every step.
    pub pace: Option<Duration>,
    /// Stay on this processor core, as do the programs that bots start.
    pub core: Option<usize>,
    /// Keep this many faults per player and kind in detail; the others are counted.
    pub faults_kept: usize,
    /// Stop a bot after this many timeouts in a row; `None` for no such limit.
    pub strikes: Option<NonZero<u32>>,
    /// The bot that alone was late in earlier attempts, which were void for it.
    pub suspect: Option<Suspect>,
}

impl Default for MatchOptions {
    fn default() -> MatchOptions {
        MatchOptions {
            max_turns: None,
            pace: None,
            core: None,
            faults_kept: 20,
            strikes: None,
            suspect: None,
        }
    }
}

/// The reason why a match cannot be played. Bots never cause it.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum MatchError {
    /// There are not as many bots as players.
    #[error("the game is set up for {players} players, but there are {bots} bots")]
    Bots {
        /// Players of the game.
        players: usize,
        /// Bots given.
        bots: usize,
    },
    /// The replay cannot be written.
    #[error(transparent)]
    Replay(#[from] WriteError),
    /// The match cannot be kept on the requested core.
    #[error("cannot stay on processor core {core}: {source}")]
    Core {
        /// The core.
        core: usize,
        /// The reason.
        source: io::Error,
    },
    /// The thread that notices stalls cannot be started.
    #[error("cannot start a thread: {0}")]
    Thread(io::Error),
    /// An observer cannot continue, such as a log on a full disk.
    #[error("{0}")]
    Observer(#[source] ObserverError),
    /// The rules of a game from outside have failed.
    #[error("the rules of {game} have failed, so the match counts for nobody: {reason}")]
    Rules {
        /// The game.
        game: &'static str,
        /// What happened.
        reason: String,
    },
    /// The match panicked, which is a mistake in its game or in the arena.
    #[error("{0}")]
    Panic(String),
    /// The arena or the machine lacks something that a bot needs.
    #[error("the match cannot be played, which is not the fault of {name}: {shortage}")]
    Shortage {
        /// The bot that would have needed it.
        name: String,
        /// The shortage.
        shortage: Shortage,
    },
}

/// A match about to be played.
///
/// Bots cannot make it fail: their errors, even panics, become a [`Fault`], and the answers
/// concerned are default. An answer that breaks the rules becomes a fault and still goes to the
/// game, which decides the consequences.
pub struct Match {
    game: AnyGame,
    seats: Vec<Seat>,
    options: MatchOptions,
    /// Steps of the match that this one continues; 0 if it continues none.
    steps_before: u64,
}

impl Match {
    /// Seats the bots, one per player of the game.
    pub fn new(
        game: AnyGame,
        bots: Vec<(BotInfo, Box<dyn Bot>)>,
        options: MatchOptions,
    ) -> Result<Match, MatchError> {
        if bots.len() != game.players() {
            return Err(MatchError::Bots { players: game.players(), bots: bots.len() });
        }
        let count = bots.len();
        let seats = Player::all(count)
            .zip(bots)
            .map(|(player, bot)| Seat::new(player, bot, count).with_strikes(options.strikes))
            .collect();
        Ok(Match { game, seats, options, steps_before: 0 })
    }

    /// Continues from a state of another match, with the seats that played the steps before.
    pub(crate) fn continuing(
        game: AnyGame,
        seats: Vec<Seat>,
        options: MatchOptions,
        steps_before: u64,
    ) -> Match {
        Match { game, seats, options, steps_before }
    }

    /// Plays without a replay. `observer` sees the first state and the one after each step.
    pub fn run(self, observer: &mut dyn Observer) -> Result<Played, MatchError> {
        self.play(None, observer)
    }

    /// Plays, writes the replay to `out`, and returns `out`.
    ///
    /// # Errors
    /// If the replay cannot be written, the match cannot be kept on its core, or the observer
    /// fails. If the match panics, `out` gets the replay up to the last whole step.
    pub fn record<W: Write>(
        self,
        mut out: W,
        observer: &mut dyn Observer,
    ) -> Result<(Played, W), MatchError> {
        let infos: Vec<BotInfo> = self.seats.iter().map(|seat| seat.info.clone()).collect();
        let target: &mut dyn Write = &mut out;
        let writer = Writer::continuing(target, &self.game, &infos, self.steps_before)?;
        let played = self.play(Some(writer), observer)?;
        Ok((played, out))
    }

    fn play(
        self,
        replay: Option<ReplayWriter<'_>>,
        observer: &mut dyn Observer,
    ) -> Result<Played, MatchError> {
        let pin = |core| Pinned::to(core).map_err(|source| MatchError::Core { core, source });
        let _pinned = self.options.core.map(pin).transpose()?;
        let book = FaultBook::new(self.options.faults_kept);
        let Match { game, seats, options, steps_before: _ } = self;
        let players = seats.iter().map(|seat| seat.info.clone()).collect();
        let answers = game.kind().no_answers();
        let id = game.meta().id;
        let faults = Vec::new();
        let notes = Vec::new();
        let mut referee = Referee {
            game,
            seats,
            players,
            options,
            replay,
            book,
            step: 0,
            decisions: 0,
            answers,
            faults,
            notes,
            stalls: None,
            shared_process: false,
        };
        let mut failure = None;
        let seed = referee.game.seed();
        debug!(game = id, %seed, players = ?referee.names(), "begins");
        let playing = catch_unwind(AssertUnwindSafe(|| referee.play(observer, &mut failure)));
        let end =
            playing.unwrap_or_else(|payload| Err(referee.panicked(panic_message(&*payload))))?;
        let finished = referee.finish(end)?;
        let MatchResult { steps, turns, longest_stall_ms, void, .. } = &finished.result;
        debug!(game = id, ?end, steps, turns, ?longest_stall_ms, ?void, "ends");
        failure.map_or(Ok(finished), |error| Err(MatchError::Observer(error)))
    }
}

impl fmt::Debug for Match {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bots: Vec<_> = self.seats.iter().map(|seat| &seat.info).collect();
        f.debug_struct("Match")
            .field("bots", &bots)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

/// One type for all targets of replays.
type ReplayWriter<'a> = Writer<&'a mut dyn Write>;

/// A match being played.
struct Referee<'a> {
    game: AnyGame,
    seats: Vec<Seat>,
    /// Facts about the bots in the seats.
    players: Vec<BotInfo>,
    options: MatchOptions,
    replay: Option<ReplayWriter<'a>>,
    book: FaultBook,
    step: u64,
    decisions: u64,
    // Of the current step:
    answers: AnyAnswers,
    faults: Vec<Fault>,
    notes: Vec<TurnNote>,
    stalls: Option<Stalls>,
    /// Whether bots share a process.
    shared_process: bool,
}

impl Referee<'_> {
    /// Plays to the end. A failure of the observer interrupts the match.
    fn play(
        &mut self,
        observer: &mut dyn Observer,
        failure: &mut Option<ObserverError>,
    ) -> Result<End, MatchError> {
        let names = self.names();
        for seat in &mut self.seats {
            seat.start(&self.game, &names, &mut self.faults);
        }
        self.look_for_shortages()?;
        self.note_faults()?;
        self.shared_process = self.seats.iter_mut().any(Seat::shares_process);
        let limits = self.seats.iter_mut().map(Seat::batch_limits).collect();
        self.stalls = Stalls::watch(limits, self.options.suspect).map_err(MatchError::Thread)?;
        loop {
            let event = self.event();
            let seen = if event.step == 0 { observer.begin(&event) } else { observer.step(&event) };
            let control = seen.unwrap_or_else(|error| {
                *failure = Some(error);
                Control::Stop
            });
            if self.game.is_over() {
                return Ok(End::Over);
            }
            if control == Control::Stop {
                return Ok(End::Interrupted);
            }
            if self.at_limit() {
                return Ok(End::Limit);
            }
            let began = Instant::now();
            if !self.play_step(observer)? {
                return Ok(End::Interrupted);
            }
            if let Some(pace) = self.options.pace {
                thread::sleep(pace.saturating_sub(began.elapsed()));
            }
        }
    }

    fn names(&self) -> Vec<String> {
        self.players.iter().map(|info| info.name.clone()).collect()
    }

    fn event(&self) -> MatchEvent<'_> {
        let Referee { game, players, answers, faults, notes, step, decisions, .. } = self;
        MatchEvent {
            step: *step,
            decisions: *decisions,
            players,
            game,
            led_by: answers,
            faults,
            notes,
        }
    }

    fn at_limit(&self) -> bool {
        self.options.max_turns.is_some_and(|most| self.game.progress().turn >= most)
    }

    /// Plays a step. Returns `false` if a person has left or nobody waits any more: the step does
    /// not count.
    fn play_step(&mut self, observer: &mut dyn Observer) -> Result<bool, MatchError> {
        self.dismiss_eliminated();
        self.faults.clear();
        if let Some(stalls) = &mut self.stalls {
            stalls.begin_step();
        }
        if !round::ask_all(
            &mut self.seats,
            &self.game,
            self.step,
            &mut self.answers,
            &mut self.faults,
            &mut |waiting| {
                observer.waiting(waiting);
                observer.keeps_waiting()
            },
        ) {
            return Ok(false);
        }
        self.look_for_shortages()?;
        self.check_rules()?;
        self.find_illegal();
        self.end_turns();
        if let Some(stalls) = &mut self.stalls {
            let seats = &mut self.seats;
            let mut used = || seats.iter_mut().map(Seat::used_since_question).collect();
            stalls.end_step(&mut self.faults, &self.notes, &mut used);
        }
        self.note_faults()?;
        self.seats.iter_mut().for_each(Seat::stop_if_struck);
        self.game.step(&self.answers);
        self.check_rules()?;
        if let Some(replay) = &mut self.replay {
            replay.step(&self.answers, &self.game)?;
        }
        self.step += 1;
        self.decisions += self.answers.len() as u64;
        Ok(true)
    }

    /// Fails if the rules themselves have failed.
    fn check_rules(&self) -> Result<(), MatchError> {
        let game = self.game.meta().id;
        let failed = |reason| MatchError::Rules { game, reason };
        self.game.failure().map_or(Ok(()), |reason| Err(failed(reason)))
    }

    /// Makes an error of a panic, and writes the steps before it to the replay.
    fn panicked(&mut self, message: &str) -> MatchError {
        let cut = self.replay.take().map(Writer::cut).transpose();
        cut.err().map_or_else(
            || {
                let players = self.names().join(" and ");
                MatchError::Panic(format!(
                    "a match of {players} on seed {} panicked in step {} of {}: {}",
                    self.game.seed(),
                    self.step,
                    self.game.meta().id,
                    agon_core::text::escape(message)
                ))
            },
            MatchError::Replay,
        )
    }

    /// Fails if the arena lacks something: that is no bot's fault, so there is no result.
    fn look_for_shortages(&self) -> Result<(), MatchError> {
        let short = |seat: &Seat| {
            let name = seat.info.name.clone();
            seat.shortage().map(|shortage| MatchError::Shortage { name, shortage })
        };
        // A shortage always shows as a fault first.
        let found = if self.faults.is_empty() { None } else { self.seats.iter().find_map(short) };
        found.map_or(Ok(()), Err)
    }

    /// Makes one fault of all answers of a bot that break the rules. Notes which bots answered.
    fn find_illegal(&mut self) {
        let Referee { game, seats, answers, faults, step, .. } = self;
        for (player, part) in runs_by_player(game.decisions()) {
            let seat = &mut seats[player.index()];
            let mut count = 0;
            if let Some(mut fault) = illegal(game, *step, part.clone(), answers) {
                fault.evidence = Evidence { unit: fault.evidence.unit, ..seat.evidence() };
                count = fault.count;
                faults.push(fault);
            }
            let is_at_fault = faults.iter().any(|fault| fault.player == player);
            seat.note_answers(answers, part, count, is_at_fault);
        }
    }

    fn end_turns(&mut self) {
        let Referee { game, seats, notes, step, .. } = self;
        let turns = runs_by_player(game.decisions());
        notes.clear();
        notes.extend(
            turns.filter_map(|(player, part)| {
                seats[player.index()].end_turn(*step, part.len() as u64)
            }),
        );
    }

    fn note_faults(&mut self) -> Result<(), MatchError> {
        for (index, fault) in self.faults.iter().enumerate() {
            let of = |fault: &Fault| (fault.player, fault.kind);
            // It says why the bot has no more faults.
            let is_last = self.seats[fault.player.index()].is_struck
                && fault.kind == FaultKind::Timeout
                && !self.faults[index + 1..].iter().any(|later| of(later) == of(fault));
            let is_kept = self.book.note_important(fault, is_last);
            if let (true, Some(replay)) = (is_kept, &mut self.replay) {
                replay.fault(fault)?;
            }
        }
        Ok(())
    }

    fn dismiss_eliminated(&mut self) {
        for (player, seat) in Player::all(self.seats.len()).zip(&mut self.seats) {
            if self.game.is_out(player) == Ok(true) {
                seat.leave(&self.game, None);
            }
        }
    }

    fn finish(mut self, end: End) -> Result<Played, MatchError> {
        let (longest_stall, void, late_alone) = match self.stalls.take().map(Stalls::close) {
            Some((longest, void, late_alone)) => (Some(longest), void, late_alone),
            None => (None, None, None),
        };
        // All bots get the message before the first wait, so they end at the same time.
        let outcome = self.game.standing().outcome;
        let game = &self.game;
        self.seats.iter_mut().for_each(|seat| seat.leave(game, outcome.as_ref()));
        self.seats.iter_mut().for_each(Seat::stop);
        let diagnosis =
            Diagnosis { bots: self.seats.iter_mut().filter_map(Seat::record).collect() };
        let tallies = self.book.tallies();
        let finish = |mut replay: ReplayWriter<'_>| {
            // The same match of built-in bots gives the same bytes.
            if !diagnosis.bots.is_empty() {
                replay.diagnosis(&diagnosis)?;
            }
            replay.set_void(void);
            replay.finish(&self.game, end, &tallies).map(drop)
        };
        self.replay.take().map(finish).transpose()?;
        let longest_stall_ms = longest_stall.map(millis);
        let result = self.result(end, &tallies, &diagnosis);
        let result = MatchResult { longest_stall_ms, void, ..result };
        Ok(Played { result, game: self.game, diagnosis, late_alone })
    }

    fn result(&self, end: End, tallies: &[FaultTally], diagnosis: &Diagnosis) -> MatchResult {
        let player = |(player, seat): (Player, &Seat)| {
            let own = tallies.iter().filter(|tally| tally.player == player);
            let faults: BTreeMap<_, _> = own.map(|tally| (tally.kind, tally.count)).collect();
            let totals = diagnosis.of(player).map(|record| record.totals.clone());
            let stopped_for_timeouts = seat.was_struck;
            PlayerResult { bot: seat.info.clone(), faults, totals, stopped_for_timeouts }
        };
        let meta = self.game.meta();
        MatchResult {
            game: meta.id.to_owned(),
            rules_version: meta.rules_version,
            seed: self.game.seed(),
            end,
            interrupted: end == End::Interrupted,
            steps: self.step,
            turns: self.game.progress().turn,
            decisions: self.decisions,
            unanswered: self.seats.iter().all(|seat| seat.was_asked && !seat.has_answered),
            players: Player::all(self.seats.len()).zip(&self.seats).map(player).collect(),
            standing: self.game.standing(),
            faults: self.book.kept().to_vec(),
            longest_stall_ms: None,
            void: None,
            shared_process: self.shared_process,
            state_hash: self.game.state_hash(),
        }
    }
}
