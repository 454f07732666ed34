//! Examines a bot: ten numbered checks, which `agon check` prints.
//!
//! | module | contents |
//! | --- | --- |
//! | `matches` | topics and results; starts the bot, plays matches with it, and watches it |
//! | `answers`, `resources` | the ten examinations, which judge what was seen |

mod answers;
mod matches;
mod resources;

use std::hash::{DefaultHasher, Hasher};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use agon_bots::{
    BatchLimits, BatchPart, Bot, BotKind, BotSpec, Progress, Seat, ShutdownReport, TurnLog, Usage,
};
use agon_core::{BotInfo, Evidence, Fault, Outcome};
use agon_games::any::{AnswersMut, AnyGame};
use anyhow::Result;

use self::matches::ExaminedBot;

pub use matches::{ATTEMPTS, Case, Examination, Examiner, Status, Topic, Watcher};

/// Examines a bot. Returns what is known of it if it opens, and all examinations in order; `None`
/// if somebody stopped it.
///
/// # Errors
/// If the arena cannot examine: it cannot set up the game, or lacks what it needs to load the bot.
pub fn examine(
    examiner: &Examiner<'_>,
    memory: Option<u64>,
) -> Result<Option<(Option<BotInfo>, Vec<Examination>)>> {
    let spec = &examiner.spec;
    let game = examiner.kind.meta().id;
    match examiner.open() {
        Ok((info, sees, bot)) => {
            let Some(seen) = examiner.examine(bot)? else { return Ok(None) };
            let mut all = vec![answers::opens(spec, Ok(sees.as_slice()))];
            all.extend(judge(&seen, spec, memory));
            name_game(game, &mut all);
            Ok(Some((Some(info), all)))
        }
        Err(error) if error.is_lack_of_the_machine() => Err(error.into()),
        Err(error) => {
            let mut all = vec![answers::opens(spec, Err(&error))];
            all.extend(
                Topic::ALL[1..].iter().map(|&topic| Examination::not_reached(topic, Topic::Opens)),
            );
            name_game(game, &mut all);
            Ok(Some((None, all)))
        }
    }
}

/// Names the game in the commands of the remedies.
fn name_game(game: &str, examinations: &mut [Examination]) {
    for remedy in examinations.iter_mut().filter_map(|examination| examination.remedy.as_mut()) {
        *remedy = remedy.replace("GAME", game);
    }
}

/// Makes the examinations of a bot that opens, except the first one.
fn judge(seen: &ExaminedBot, spec: &BotSpec, memory: Option<u64>) -> Vec<Examination> {
    let kind: BotKind = spec.kind();
    vec![
        answers::starts(seen),
        answers::first_answer(seen),
        answers::legal(seen),
        answers::protocol(seen),
        resources::time(seen),
        resources::memory(seen, memory),
        resources::end_of_input(seen, kind),
        answers::same_answers(seen),
        resources::stderr(seen),
    ]
}

/// How long a bot may take to end after its input has been closed. A busy machine must not make it
/// fail, and most end within milliseconds.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

/// The pause after an answer, in which a bot should write nothing more.
pub(super) const IDLE: Duration = Duration::from_millis(30);

/// The number of first answers in a match that are followed by such a pause.
const LISTENED: usize = 3;

/// What was seen of a bot in a match.
#[derive(Clone, Debug, Default)]
pub(super) struct WatchRecord {
    /// Its time limits.
    pub(super) batch_limits: Option<BatchLimits>,
    /// One entry per question.
    pub(super) turns: Vec<TimedAnswer>,
    /// CPU time of its process when it had answered for the first time, its start included.
    pub(super) first_cpu: Option<Duration>,
    /// The last figures of its process, with the highest peak of memory so far.
    pub(super) usage: Option<Usage>,
    /// Its first output without a question, with the step of the answer before it.
    pub(super) unsolicited: Option<(u64, String)>,
    /// How it reacted to the end of its input.
    pub(super) shutdown: Option<ShutdownReport>,
}

/// A question and its answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct TimedAnswer {
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

/// The record of a [`WatchedBot`], which can be read when the match is over.
pub(super) type SharedRecord = Arc<Mutex<WatchRecord>>;

/// A bot with its record.
pub(super) struct WatchedBot {
    bot: Box<dyn Bot>,
    record: SharedRecord,
    /// Whether its first answers are followed by a pause.
    listen: bool,
    asked: Option<(Instant, Option<Duration>)>,
    /// The step whose answer is to be followed by a pause.
    listens: Option<u64>,
}

impl WatchedBot {
    /// Watches a bot; with `listen` also its output after its first answers.
    pub(super) fn new(bot: Box<dyn Bot>, listen: bool) -> (WatchedBot, SharedRecord) {
        let record = SharedRecord::default();
        (
            WatchedBot { bot, record: Arc::clone(&record), listen, asked: None, listens: None },
            record,
        )
    }

    fn note(&self, note: impl FnOnce(&mut WatchRecord)) {
        // A record is useful even if its writer panicked.
        note(&mut self.record.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Notes what the process has used, and returns its CPU time.
    fn measure(&mut self) -> Option<Duration> {
        let usage = self.bot.usage()?;
        self.note(|record| {
            let peak = record.usage.and_then(|before| before.peak_memory).max(usage.peak_memory);
            record.usage = Some(Usage { peak_memory: peak, ..usage });
        });
        Some(usage.cpu)
    }

    /// Waits for a moment, and notes what the bot writes.
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

impl Bot for WatchedBot {
    fn start(&mut self, seat: Seat<'_>, faults: &mut Vec<Fault>) {
        self.bot.start(seat, faults);
        self.note(|record| record.batch_limits = self.bot.batch_limits());
    }

    fn ask(&mut self, turn: BatchPart<'_>, faults: &mut Vec<Fault>) {
        let used = self.measure();
        self.asked = Some((Instant::now(), used));
        self.bot.ask(turn, faults);
    }

    fn prepare(&mut self, turn: BatchPart<'_>, faults: &mut Vec<Fault>) {
        self.bot.prepare(turn, faults);
    }

    fn collect(
        &mut self,
        turn: BatchPart<'_>,
        mut answers: AnswersMut<'_>,
        faults: &mut Vec<Fault>,
    ) -> Progress {
        if let Some(step) = self.listens.take() {
            self.listen_after(step);
            return Progress::Done;
        }
        match self.bot.collect(turn, answers.reborrow(), faults) {
            Progress::Done => {}
            other => return other,
        }
        let Some((asked, before)) = self.asked.take() else { return Progress::Done };
        // The referee may have waited for other bots meanwhile.
        let cost = self.bot.turn_log().and_then(|turn_log| turn_log.cost());
        let wall = cost.map_or_else(|| asked.elapsed(), |cost| cost.wall);
        let after = self.measure();
        let cpu = before.zip(after).and_then(|(before, after)| after.checked_sub(before));
        let step = turn.step;
        let decisions = turn.decisions.len();
        let answers = digest(&answers);
        let mut count = 0;
        self.note(|record| {
            if record.turns.is_empty() {
                record.first_cpu = after;
            }
            record.turns.push(TimedAnswer { step, decisions, wall, cpu, answers });
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

    fn is_late(&self) -> bool {
        self.bot.is_late()
    }

    fn time_left(&self) -> Option<Duration> {
        self.bot.time_left()
    }

    fn turn_log(&self) -> Option<TurnLog> {
        self.bot.turn_log()
    }

    fn evidence(&mut self) -> Evidence {
        self.bot.evidence()
    }

    fn goodbye(&mut self, game: &AnyGame, outcome: Option<&Outcome>) -> Duration {
        let mut step = 0;
        self.note(|record| step = record.turns.last().map_or(0, |think| think.step));
        if self.bot.unsolicited_output().is_some() {
            self.listen_after(step);
        }
        self.bot.goodbye(game, outcome);
        if let Some(shutdown) = self.bot.shutdown(PATIENCE) {
            self.note(|record| record.shutdown = Some(shutdown));
        }
        Duration::ZERO
    }

    fn stop(&mut self) {
        self.bot.stop();
    }
}

fn digest(answers: &AnswersMut<'_>) -> u64 {
    let mut bytes = Vec::new();
    answers.encode(&mut bytes);
    let mut hasher = DefaultHasher::new();
    hasher.write(&bytes);
    hasher.finish()
}
