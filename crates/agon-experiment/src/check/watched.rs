//! A bot under observation: it plays as always, and what the referee does not see is noted.

use std::{
    hash::{DefaultHasher, Hasher},
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

use agon_bots::{BatchLimits, BatchPart, Bot, Progress, Seat, ShutdownReport, TurnLog, Usage};
use agon_core::{Codec, Evidence, Fault, Game, Outcome};

/// How long a bot may take to end after its input has been closed.
pub(super) const PATIENCE: Duration = Duration::from_secs(1);

/// How long a bot that has answered is left alone, to see whether it writes anything more.
pub(super) const IDLE: Duration = Duration::from_millis(30);

/// After how many answers of a match that is listened to the bot is left alone.
const LISTENED: usize = 3;

/// What was seen of a bot in a match.
#[derive(Clone, Debug, Default)]
pub(super) struct Record {
    /// Its time limits.
    pub(super) pace: Option<BatchLimits>,
    /// One entry per question.
    pub(super) turns: Vec<Think>,
    /// CPU time of its process when it had answered for the first time, its start included.
    pub(super) first_cpu: Option<Duration>,
    /// The last figures of its process; the peak of memory is that of all.
    pub(super) usage: Option<Usage>,
    /// The first thing that it wrote unasked, and the step after whose answer it did.
    pub(super) unsolicited: Option<(u64, String)>,
    /// How it took the end of its input.
    pub(super) shutdown: Option<ShutdownReport>,
}

/// A question and its answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Think {
    /// The step of the match.
    pub(super) step: u64,
    /// How many decisions were wanted.
    pub(super) decisions: usize,
    /// From the question to the answer.
    pub(super) wall: Duration,
    /// CPU time of the bot's process; `None` without a process, and when it was started or ended
    /// meanwhile.
    pub(super) cpu: Option<Duration>,
    /// A digest of the answers.
    pub(super) answers: u64,
}

/// Where a [`Watched`] bot's record is to be found when the match is over.
pub(super) type Shared = Arc<Mutex<Record>>;

/// A bot with its record.
pub(super) struct Watched<G: Game> {
    bot: Box<dyn Bot<G>>,
    record: Shared,
    /// Whether to leave it alone after its first answers.
    listen: bool,
    asked: Option<(Instant, Option<Duration>)>,
    /// The step after whose answer it is to be left alone.
    listens: Option<u64>,
}

impl<G: Game> Watched<G> {
    /// Watches a bot; with `listen` also what it writes after its first answers.
    pub(super) fn new(bot: Box<dyn Bot<G>>, listen: bool) -> (Watched<G>, Shared) {
        let record = Shared::default();
        (Watched { bot, record: Arc::clone(&record), listen, asked: None, listens: None }, record)
    }

    fn note(&self, note: impl FnOnce(&mut Record)) {
        // A record is good as far as it goes, whatever happened to who wrote it.
        note(&mut self.record.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Notes what the process has used; returns its CPU time.
    fn measure(&mut self) -> Option<Duration> {
        let usage = self.bot.usage()?;
        self.note(|record| {
            let peak = record.usage.and_then(|before| before.peak_memory).max(usage.peak_memory);
            record.usage = Some(Usage { peak_memory: peak, ..usage });
        });
        Some(usage.cpu)
    }

    /// Leaves the bot alone for a moment and notes what it writes.
    fn listen_after(&mut self, step: u64) {
        thread::sleep(IDLE);
        let Some(text) = self.bot.unsolicited_output() else { return };
        self.note(|record| {
            if record.unsolicited.is_none() && !text.is_empty() {
                record.unsolicited = Some((step, text));
            }
        });
    }
}

impl<G: Game> Bot<G> for Watched<G> {
    fn start(&mut self, seat: Seat<'_, G>, faults: &mut Vec<Fault>) {
        self.bot.start(seat, faults);
        self.note(|record| record.pace = self.bot.batch_limits());
    }

    fn ask(&mut self, turn: BatchPart<'_, G>, faults: &mut Vec<Fault>) {
        let used = self.measure();
        self.asked = Some((Instant::now(), used));
        self.bot.ask(turn, faults);
    }

    fn prepare(&mut self, turn: BatchPart<'_, G>, faults: &mut Vec<Fault>) {
        self.bot.prepare(turn, faults);
    }

    fn collect(
        &mut self,
        turn: BatchPart<'_, G>,
        answers: &mut [G::Answer],
        faults: &mut Vec<Fault>,
    ) -> Progress {
        if let Some(step) = self.listens.take() {
            self.listen_after(step);
            return Progress::Done;
        }
        match self.bot.collect(turn, answers, faults) {
            Progress::Done => {}
            other => return other,
        }
        let Some((asked, before)) = self.asked.take() else { return Progress::Done };
        // Others may have been waited for meanwhile.
        let cost = self.bot.turn_log().and_then(|turn_log| turn_log.cost());
        let wall = cost.map_or_else(|| asked.elapsed(), |cost| cost.wall);
        let after = self.measure();
        let cpu = before.zip(after).and_then(|(before, after)| after.checked_sub(before));
        let step = turn.step;
        let decisions = turn.decisions.len();
        let answers = digest(answers);
        let mut count = 0;
        self.note(|record| {
            if record.turns.is_empty() {
                record.first_cpu = after;
            }
            record.turns.push(Think { step, decisions, wall, cpu, answers });
            count = record.turns.len();
        });
        if self.listen && count <= LISTENED {
            self.listens = Some(step);
            return Progress::Last;
        }
        Progress::Done
    }

    fn thinks_here(&self) -> bool {
        self.bot.thinks_here()
    }

    fn is_silent(&self) -> bool {
        self.bot.is_silent()
    }

    fn turn_log(&self) -> Option<TurnLog> {
        self.bot.turn_log()
    }

    fn evidence(&mut self) -> Evidence {
        self.bot.evidence()
    }

    fn goodbye(&mut self, outcome: Option<&Outcome>) -> Duration {
        let mut step = 0;
        self.note(|record| step = record.turns.last().map_or(0, |think| think.step));
        if self.bot.unsolicited_output().is_some() {
            self.listen_after(step);
        }
        self.bot.goodbye(outcome);
        if let Some(shutdown) = self.bot.shutdown(PATIENCE) {
            self.note(|record| record.shutdown = Some(shutdown));
        }
        Duration::ZERO
    }

    fn stop(&mut self) {
        self.bot.stop();
    }
}

fn digest<A: Codec>(answers: &[A]) -> u64 {
    let mut bytes = Vec::new();
    answers.iter().for_each(|answer| answer.encode(&mut bytes));
    let mut hasher = DefaultHasher::new();
    hasher.write(&bytes);
    hasher.finish()
}
