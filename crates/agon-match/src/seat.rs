//! A bot's seat in a match. It guards the match against the bot: a panic of the bot becomes a
//! fault.
//!
//! The referee and replay sessions reach every bot through its seat.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};
use std::{any::Any, num::NonZero, ops::Range};

use agon_core::{BotInfo, Evidence, Fault, FaultKind, Outcome, Player};
use agon_games::any::{AnswersMut, AnyAnswers, AnyGame};

use crate::bot::{BatchLimits, BatchPart, Bot, Progress, Shortage};
use crate::cost_tracker::{CostTracker, TurnNote};
use crate::{faults::Strikes, replay::BotRecord};

/// A bot in a match.
///
/// A bot that panics is not asked again, because its state is unknown. Each decision that it would
/// have been asked for counts as a crash.
pub(crate) struct Seat {
    pub(crate) info: BotInfo,
    player: Player,
    bot: Box<dyn Bot>,
    state: State,
    started: bool,
    /// Whether a person plays, who may take long.
    is_person: bool,
    /// Whether it thinks in this thread.
    thinks_here: bool,
    /// Steps of an earlier match that this one continues. The bot counts them, too.
    steps_before: u64,
    /// The costs of its turns; `None` if it has no process.
    costs: Option<CostTracker>,
    strikes: Strikes,
    /// Whether it has to be stopped at the end of the step, because of timeouts.
    pub(crate) is_struck: bool,
    /// Whether that has happened in this match.
    pub(crate) was_struck: bool,
    /// Whether it has been asked.
    pub(crate) was_asked: bool,
    /// Whether one of its answers was valid.
    pub(crate) has_answered: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Playing,
    /// It knows that no more questions follow, and may end by itself before `until`.
    Leaving {
        until: Instant,
    },
    /// It panicked in step `since`; its decisions from step `from` on are not yet counted as
    /// crashes.
    Broken {
        since: u64,
        from: u64,
    },
    /// It was stopped after too many timeouts in a row.
    Struck,
    Stopped,
}

impl Seat {
    /// Seats a bot in a match of `bots` bots.
    pub(crate) fn new(player: Player, (info, bot): (BotInfo, Box<dyn Bot>), bots: usize) -> Seat {
        let costs = bot.turn_log().map(|turn_log| CostTracker::new(player, turn_log, bots));
        let is_person = bot.is_person();
        let thinks_here = bot.thinks_here();
        Seat {
            info,
            player,
            bot,
            state: State::Playing,
            started: false,
            is_person,
            thinks_here,
            steps_before: 0,
            costs,
            strikes: Strikes::default(),
            is_struck: false,
            was_struck: false,
            was_asked: false,
            has_answered: false,
        }
    }

    /// Makes the referee stop the bot after this many timeouts in a row; `None` for no such limit.
    ///
    /// Timeouts that have been counted still count.
    pub(crate) fn with_strikes(mut self, most: Option<NonZero<u32>>) -> Seat {
        self.strikes.most = most;
        self
    }

    /// Counts timeouts in a row, after the bot has been asked in a step with these faults.
    ///
    /// The last allowed one says so in its fault. The bot still has its state then, which the
    /// evidence of other faults needs: [`Seat::stop_if_struck`] stops it.
    pub(crate) fn count_timeouts(&mut self, step: u64, faults: &mut Vec<Fault>) {
        if self.state != State::Playing || self.strikes.most.is_none() {
            return;
        }
        let player = self.player;
        let is_own =
            |fault: &&mut Fault| fault.player == player && fault.kind == FaultKind::Timeout;
        let own = faults.iter_mut().rfind(is_own);
        let is_late = own.is_some() || self.bot.is_late();
        let Some(why) = self.strikes.note(is_late) else { return };
        (self.is_struck, self.was_struck) = (true, true);
        match own {
            Some(fault) => fault.detail = format!("{}; {why}", fault.detail),
            None => {
                let kind = FaultKind::Timeout;
                let detail = format!("silent in this turn; {why}");
                let evidence = self.evidence();
                faults.push(Fault { player, step, kind, detail, evidence, count: 1 });
            }
        }
    }

    /// Stops it if it has had too many timeouts in a row.
    pub(crate) fn stop_if_struck(&mut self) {
        if std::mem::take(&mut self.is_struck) && self.state == State::Playing {
            self.stop();
            self.state = State::Struck;
        }
    }

    /// Returns an estimate of the time left for its answer.
    pub(crate) fn time_left(&mut self) -> Option<Duration> {
        self.fact(|bot| bot.time_left())
    }

    /// Ends its turn in a step; `None` if it has no process.
    pub(crate) fn end_turn(&mut self, step: u64, decisions: u64) -> Option<TurnNote> {
        self.costs.as_mut().map(|costs| costs.turn(step, decisions))
    }

    /// Returns the first thing that it needed and the arena lacked.
    pub(crate) fn shortage(&self) -> Option<Shortage> {
        self.costs.as_ref().and_then(CostTracker::shortage)
    }

    /// Returns the most CPU time that it may have used since it was asked, and the part of it that
    /// its answer did not cost.
    pub(crate) fn used_since_question(&mut self) -> (Duration, Duration) {
        let usage = self.fact(|bot| bot.usage().unwrap_or_default());
        (usage.since_question, usage.since_answer)
    }

    /// Returns its record. Call it once, after the bot has been stopped.
    pub(crate) fn record(&mut self) -> Option<BotRecord> {
        self.costs.take().map(CostTracker::close)
    }

    /// Returns the evidence about its last answer.
    pub(crate) fn evidence(&mut self) -> Evidence {
        self.fact(|bot| bot.evidence())
    }

    /// Makes the bot count its steps from `steps_before`, at most 2^53: files have no more steps.
    pub(crate) fn counting_from(self, steps_before: u64) -> Seat {
        Seat { steps_before, ..self }
    }

    /// Seats the bot in a new match that starts after `steps` steps of this one.
    ///
    /// For the bot it is the same match.
    pub(crate) fn continuing_after(self, steps: u64) -> Seat {
        let state = match self.state {
            State::Broken { since, .. } => State::Broken { since, from: 0 },
            other => other,
        };
        Seat { steps_before: self.steps_before + steps, state, ..self }
    }

    /// Starts the bot, unless that has been done.
    pub(crate) fn start(&mut self, game: &AnyGame, names: &[String], faults: &mut Vec<Fault>) {
        if std::mem::replace(&mut self.started, true) {
            return;
        }
        let player = self.player;
        let place = crate::bot::Seat { game, player, names };
        if !self.guarded(0, 1, faults, |bot, faults| bot.start(place, faults)) {
            self.state = State::Broken { since: 0, from: 0 };
        }
    }

    /// Returns its time limits.
    pub(crate) fn batch_limits(&mut self) -> Option<BatchLimits> {
        self.fact(|bot| bot.batch_limits())
    }

    /// Returns whether it shares a process with other bots.
    pub(crate) fn shares_process(&mut self) -> bool {
        self.fact(|bot| bot.shares_process())
    }

    /// Returns whether it is a person who has left.
    pub(crate) fn has_left(&self) -> bool {
        self.is_person && self.state == State::Playing && self.bot.has_left()
    }

    /// Returns `Some` if it thinks in this thread, and whether it is a person.
    pub(crate) fn thinks_here(&self) -> Option<bool> {
        (self.is_person || self.thinks_here).then_some(self.is_person)
    }

    /// Prepares it for the question.
    pub(crate) fn prepare(&mut self, turn: BatchPart<'_>, faults: &mut Vec<Fault>) {
        let step = turn.step;
        let count = turn.decisions.len() as u64;
        let turn = self.with_step_of_bot(turn);
        if self.state == State::Playing {
            self.guarded(step, count, faults, |bot, faults| bot.prepare(turn, faults));
        }
    }

    /// Sends it the question.
    pub(crate) fn ask(&mut self, turn: BatchPart<'_>, faults: &mut Vec<Fault>) {
        let step = turn.step;
        let count = turn.decisions.len() as u64;
        let turn = self.with_step_of_bot(turn);
        if self.state == State::Playing {
            self.guarded(step, count, faults, |bot, faults| bot.ask(turn, faults));
        }
    }

    /// Waits for all its answers. Missing answers stay default.
    pub(crate) fn finish(
        &mut self,
        turn: BatchPart<'_>,
        mut answers: AnswersMut<'_>,
        faults: &mut Vec<Fault>,
    ) {
        loop {
            match self.collect(turn, answers.reborrow(), faults) {
                Progress::Done => return,
                Progress::Waits(wait) => wait.wait(),
                Progress::Last => {}
            }
        }
    }

    /// Takes the answers that have come. Missing answers stay default.
    pub(crate) fn collect(
        &mut self,
        turn: BatchPart<'_>,
        mut answers: AnswersMut<'_>,
        faults: &mut Vec<Fault>,
    ) -> Progress {
        let step = turn.step;
        let count = turn.decisions.len() as u64;
        let turn = self.with_step_of_bot(turn);
        match self.state {
            State::Playing => {
                let mut progress = Progress::Done;
                let fine = self.guarded(step, count, faults, |bot, faults| {
                    progress = bot.collect(turn, answers.reborrow(), faults);
                });
                if !fine {
                    answers.forfeit();
                }
                progress
            }
            State::Broken { since, from } => {
                answers.forfeit();
                if step >= from {
                    let detail = format!("panicked in step {since} and is not asked any more");
                    faults.push(self.crash(step, count, detail));
                }
                Progress::Done
            }
            State::Struck => {
                answers.forfeit();
                Progress::Done
            }
            State::Leaving { .. } | State::Stopped => Progress::Done,
        }
    }

    /// Notes whether one of its answers in a step is valid.
    ///
    /// `illegal` of them break the rules. `is_at_fault` means that the bot has a fault in the step.
    /// Default answers count if the bot chose them.
    pub(crate) fn note_answers(
        &mut self,
        answers: &AnyAnswers,
        part: Range<usize>,
        illegal: u64,
        is_at_fault: bool,
    ) {
        self.was_asked = true;
        if self.has_answered {
            return;
        }
        let own = answers.count_own(part) as u64;
        let is_silent = self.state != State::Playing || self.bot.is_silent();
        self.has_answered = own > illegal || !is_at_fault && !is_silent;
    }

    /// Returns the part with the step number that the bot counts.
    fn with_step_of_bot<'a>(&self, turn: BatchPart<'a>) -> BatchPart<'a> {
        BatchPart { step: self.steps_before + turn.step, ..turn }
    }

    /// Tells the bot that no more questions follow, and does not wait.
    ///
    /// The referee calls this at every step after a player is out. Once the bot has had its time to
    /// end by itself, the call stops it.
    pub(crate) fn leave(&mut self, game: &AnyGame, outcome: Option<&Outcome>) {
        match self.state {
            State::Playing => {
                let mut moment = Duration::ZERO;
                // Faults do not count any more: the bot is not needed.
                self.guarded(0, 0, &mut Vec::new(), |bot, _| {
                    moment = bot.goodbye(game, outcome);
                });
                match moment {
                    Duration::ZERO => self.stop(),
                    _ => self.state = State::Leaving { until: Instant::now() + moment },
                }
            }
            State::Leaving { until } if Instant::now() >= until => self.stop(),
            State::Leaving { .. } | State::Broken { .. } | State::Struck | State::Stopped => {}
        }
    }

    /// Stops it, unless that has been done.
    pub(crate) fn stop(&mut self) {
        if matches!(self.state, State::Playing | State::Leaving { .. }) {
            self.guarded(0, 0, &mut Vec::new(), |bot, _| bot.stop());
        }
        self.state = State::Stopped;
    }

    /// Asks the bot for a fact about itself; the default if it does not play any more.
    fn fact<T: Default>(&mut self, of: impl FnOnce(&mut dyn Bot) -> T) -> T {
        let mut fact = T::default();
        if self.state == State::Playing {
            self.guarded(0, 0, &mut Vec::new(), |bot, _| fact = of(bot));
        }
        fact
    }

    /// Calls the bot. A panic becomes a crash that costs `count` answers. Returns whether there was
    /// no panic.
    fn guarded(
        &mut self,
        step: u64,
        count: u64,
        faults: &mut Vec<Fault>,
        call: impl FnOnce(&mut dyn Bot, &mut Vec<Fault>),
    ) -> bool {
        // Unwind safe: after a panic the bot is not used again, and the game is only read.
        let bot = &mut *self.bot;
        let first = faults.len();
        let outcome = catch_unwind(AssertUnwindSafe(|| call(bot, faults)));
        // A bot must not blame another player or another step.
        for fault in faults.get_mut(first..).unwrap_or_default() {
            (fault.player, fault.step) = (self.player, step);
            fault.escape();
        }
        match outcome {
            Ok(()) => true,
            Err(panic) => {
                faults.push(self.crash(
                    step,
                    count,
                    format!("panicked: {}", panic_message(&*panic)),
                ));
                self.state = State::Broken { since: step, from: step + 1 };
                false
            }
        }
    }

    fn crash(&self, step: u64, count: u64, detail: String) -> Fault {
        let kind = FaultKind::Crash;
        let evidence = Evidence::default();
        let mut fault = Fault { player: self.player, step, kind, detail, evidence, count };
        fault.escape();
        fault
    }
}

/// Returns the text that a panic was raised with.
pub fn panic_message(panic: &(dyn Any + Send)) -> &str {
    match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
        (Some(text), _) => text,
        (_, Some(text)) => text,
        _ => "with no message",
    }
}
