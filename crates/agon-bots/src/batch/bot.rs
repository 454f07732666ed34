//! The host of native libraries and WebAssembly: a bot that answers whole batches in a child
//! process.
//!
//! A bot that crashes or never returns loses only the decisions that it has not answered yet. It
//! never harms the arena. The child loads it again for the next turn, with empty variables. After
//! [`RESTARTS`] restarts the bot stays out.

use std::{ffi::OsString, ops::Range, path::Path, time::Duration};

use agon_core::{Evidence, Fault, FaultKind, Player, Purpose};
use agon_games::any::{AnswersMut, GameKind};
use agon_games::batch::Unusable;
use agon_sandbox::INHERITED;

use super::memory::{ANSWER_ROOM, Area, QUESTION_ROOM};
use super::{VERSION, serve::TrapKind};
use crate::clock::{Bank, Timer};
use crate::process::{Asked, FaultSite, Launch, Process, Sees};
use crate::{
    BatchLimits, BatchPart, Bot, Clock, HostOptions, Launcher, OpenError, Progress, Seat,
    ShutdownReport, Timing, TurnLog, Usage, hosting, sandbox::Needs,
};

/// How often in a match a bot is loaded again after a crash or an endless loop.
pub const RESTARTS: u32 = 3;

/// Time for loading the bot, which runs its constructors.
const LOADING: Clock = Clock { wall_factor: 2, ..Clock::cpu(Duration::from_secs(5)) };

/// The most decisions in one question. Larger batches are split.
const MAX_PART: usize = 1 << 15;

/// The most bytes of a question, and of the room for its answers.
///
/// A single decision may need more.
const MAX_QUESTION: usize = QUESTION_ROOM / 4;
const MAX_ANSWER_ROOM: usize = ANSWER_ROOM / 2;

/// Time limit behind the fuel, so that a host that hangs does not hang the arena.
///
/// This is the time for everything; each unit of fuel adds [`BEHIND_UNIT`]. The most expensive
/// instructions, such as roots and uncached memory, take a tenth of it. A shorter limit could
/// change a match on a slow machine.
const BEHIND_FUEL: Duration = Duration::from_secs(60);
const BEHIND_UNIT: Duration = Duration::from_nanos(100);

/// Returns the clock for this much fuel.
pub(crate) fn behind(fuel: u64) -> Clock {
    let units = Duration::from_nanos(fuel.saturating_mul(BEHIND_UNIT.as_nanos() as u64));
    Clock::cpu(BEHIND_FUEL.saturating_add(units))
}

/// The program that runs a bot.
#[derive(Clone, Debug)]
pub(crate) struct Child {
    /// The program. Its own arguments come first.
    pub(crate) host: Launcher,
    /// The arguments that name the bot to load.
    pub(crate) args: Vec<OsString>,
    /// Files and rights that the program needs.
    pub(crate) needs: Needs,
    /// Whether fuel decides how long the bot may think; otherwise the clock does.
    pub(crate) fueled: bool,
}

/// A bot in a match.
pub(crate) struct BatchBot {
    launch: Launch,
    area: Area,
    timing: Timing,
    pace: BatchLimits,
    /// The fuel for a decision.
    fuel: u64,
    /// Bytes of an answer's record.
    record: usize,
    fueled: bool,
    /// `None` before the first question.
    bank: Option<Bank>,
    /// `None` after a fault.
    process: Option<Process>,
    /// The number of the batch being decided, its room for answers, and the time for it.
    batch: u64,
    room: usize,
    timer: Option<Timer>,
    /// The message at the start of the match, sent again whenever the bot is loaded again.
    start: Vec<u8>,
    /// How often it may still be loaded again.
    restarts: u32,
    /// The range of the batch that has been asked.
    range: Range<usize>,
    asked: Asked,
    buffer: Vec<u8>,
}

impl BatchBot {
    /// Loads a bot, the file `path`.
    ///
    /// If it ends itself meanwhile, although it has been loaded before, it is tried again in the
    /// match ([`HostOptions::loaded_before`]).
    pub(crate) fn open(
        kind: &dyn GameKind,
        child: &Child,
        path: &Path,
        options: &HostOptions,
    ) -> Result<BatchBot, OpenError> {
        let prepare = |source| OpenError::unprepared("memory shared with the bot", source);
        let (area, file) = Area::create().map_err(prepare)?;
        let mut args: Vec<OsString> = child.host.args.clone();
        args.push(INHERITED.to_string().into());
        args.extend(child.args.iter().cloned());
        let mut launch = Launch::new(&child.host.path, &args).with(options);
        launch.core = options.core;
        launch.sees = Sees::Itself;
        launch.inherits = Some(file);
        launch.needs = child.needs.clone();
        let pace = hosting(kind).pace;
        let mut bot = BatchBot {
            launch,
            area,
            timing: options.timing,
            pace: BatchLimits { each: options.timing.each(pace.each), ..pace },
            fuel: kind.fuel(),
            record: kind.header().answer.size,
            fueled: child.fueled,
            bank: None,
            process: None,
            batch: 0,
            room: 0,
            timer: None,
            start: Vec::new(),
            restarts: RESTARTS,
            range: 0..0,
            asked: Asked::default(),
            buffer: Vec::new(),
        };
        match bot.load(FaultSite::start(Player(0)), LOADING) {
            Ok(()) => Ok(bot),
            Err((fault, by_itself)) => match bot.launch.turn_log.shortage() {
                Some(shortage) => Err(OpenError::Shortage(shortage)),
                None if by_itself && options.loaded_before => Ok(bot),
                None => {
                    Err(OpenError::Load { path: path.to_owned(), message: load_message(&fault) })
                }
            },
        }
    }

    /// Starts the child and has it load the bot, perhaps again.
    ///
    /// The limit is `clock`, unless the person chose another one.
    ///
    /// # Errors
    /// With a fault of kind `Start`, and whether the bot's own code ran and ended, or did not end
    /// in time.
    fn load(&mut self, site: FaultSite, clock: Clock) -> Result<(), (Fault, bool)> {
        let mut process = Process::start(&self.launch, site).map_err(|fault| (fault, false))?;
        let timer = Timer::start(self.timing.or(clock), true, &process.meter());
        if let Err(trouble) = process.wait(&timer, |process| process.has_line()) {
            let mut fault = process.end_with_trouble(site, trouble, &timer);
            fault.detail = format!("while the bot was loaded: {}", fault.detail);
            fault.kind = FaultKind::Start;
            return Err((fault, true));
        }
        match loaded(&process.take_text(), &self.launch.program) {
            Ok(()) => {
                self.process = Some(process);
                self.tell_start();
                Ok(())
            }
            Err(message) => Err((process.end_with(site, FaultKind::Start, message), false)),
        }
    }

    fn tell_start(&mut self) {
        if let (Some(process), false) = (&mut self.process, self.start.is_empty()) {
            self.area.tell_start(&self.start);
            process.send(format!("start {}\n", self.start.len()).as_bytes());
        }
    }

    /// Asks for as many decisions from `start` on as one question holds.
    fn ask_from(&mut self, part: BatchPart<'_>, start: usize) {
        let Some(process) = &mut self.process else { return };
        let mut end = part.decisions.len().min(start + MAX_PART);
        let mut room;
        loop {
            let decisions = &part.decisions[start..end];
            room = part.game.write_batch(part.step, decisions, &mut self.buffer);
            let fits = self.buffer.len() <= MAX_QUESTION && room <= MAX_ANSWER_ROOM;
            if fits || decisions.len() == 1 {
                break;
            }
            let fitting =
                |bytes: usize, most: usize| decisions.len() as u64 * most as u64 / bytes as u64;
            let fitting =
                fitting(self.buffer.len(), MAX_QUESTION).min(fitting(room, MAX_ANSWER_ROOM));
            // A bit fewer, because the data after the records may differ in size.
            end = start + ((fitting * 3 / 4) as usize).clamp(1, decisions.len() - 1);
        }
        let decisions = &part.decisions[start..end];
        let unlimited = self.timing == Timing::Unlimited;
        let fuel =
            if unlimited { u64::MAX } else { self.fuel.saturating_mul(decisions.len() as u64) };
        let room = room.min(ANSWER_ROOM);
        let records = decisions.len() * self.record;
        let seed = part.game.seed();
        let number = seed.stream(Purpose::Number(part.player.0), part.step).bits();
        let seed = seed.with_number(number).derive(start as u64).number();
        self.area.ask(&self.buffer, records);
        self.batch += 1;
        self.room = room;
        let clock = self.timing.or(if self.fueled { behind(fuel) } else { self.pace.clock });
        // The limit is the clock's time for later answers, and some for each decision.
        let extra = self.pace.each.saturating_mul(decisions.len() as u32);
        let timer = Timer::start_with(clock, self.batch == 1, extra, &process.meter());
        self.timer = Some(timer.banked(*self.bank.get_or_insert_with(|| Bank::of(clock))));
        let (batch, length) = (self.batch, self.buffer.len());
        process
            .send(format!("decide {batch} {length} {room} {records} {fuel} {seed}\n").as_bytes());
        self.range = start..end;
        self.asked = Asked::new(part.step, decisions);
    }

    /// Looks for the answer to the question, and returns the length of the valid answers in bytes;
    /// fails while there is none. After a fault the child no longer runs.
    fn poll_answer(&mut self, site: FaultSite) -> Result<(usize, Option<Fault>), Progress> {
        let (Some(process), Some(timer)) = (&mut self.process, &self.timer) else {
            return Ok((0, None));
        };
        let waited = process.look(timer, |process| process.has_line())?;
        if let Some(bank) = &mut self.bank {
            bank.charge(timer.beyond(&process.meter()));
        }
        let mut foreign = false;
        let mut fault = match waited {
            Err(trouble) => process.end_with_trouble(site, trouble, timer),
            Ok(()) => match reply(&process.take_text(), self.batch) {
                Some(Ok(length)) if length <= self.room => return Ok((length, None)),
                Some(Ok(length)) => {
                    let detail = format!(
                        "it says that it wrote {length} bytes of answers, but has room for {}",
                        self.room
                    );
                    process.end_with(site, FaultKind::Garbage, detail)
                }
                Some(Err((kind, detail))) => process.end_with(site, kind, detail),
                None => {
                    foreign = true;
                    let detail = "it wrote to the arena's own pipe";
                    process.end_with(site, FaultKind::Garbage, detail)
                }
            },
        };
        if !foreign {
            // This output comes from the host, not from the bot.
            fault.evidence.last_output.clear();
        }
        self.process = None;
        Ok((self.room, Some(fault)))
    }

    /// Collects the answers to the range that has been asked; false if the bot failed.
    ///
    /// Fails while the answer is missing.
    fn collect_part(
        &mut self,
        part: BatchPart<'_>,
        mut answers: AnswersMut<'_>,
        faults: &mut Vec<Fault>,
    ) -> Result<bool, Progress> {
        let site: FaultSite = part.into();
        let (length, fault) = self.poll_answer(site)?;
        self.area.answered(length, &mut self.buffer);
        let decisions = &part.decisions[self.range.clone()];
        let mut bad = BadAnswers::default();
        let answers = answers.part(self.range.clone());
        part.game.read_batch(decisions, &self.buffer, answers, &mut |i, why| bad.add(i, why));
        let unit = |i: usize| decisions.get(i).map(|decision| decision.unit);
        if let Some((i, detail)) = bad.garbage {
            let mut fault = site.fault(FaultKind::Garbage, detail);
            fault.evidence = Evidence { unit: unit(i), ..self.evidence() };
            fault.count = bad.garbage_count;
            faults.push(fault);
        }
        let later = part.decisions.len() - self.range.end;
        match (fault, bad.unanswered) {
            (Some(mut fault), first) => {
                fault.evidence.unit = first.and_then(unit);
                fault.evidence.last_input = self.asked.to_string();
                let lost = bad.unanswered_count as usize + later;
                fault
                    .detail
                    .push_str(&format!("; {lost} of {} decisions are lost", part.decisions.len()));
                if self.restarts == 0 {
                    fault.detail.push_str(", and the bot stays out from now on");
                }
                faults.push(fault);
                Ok(false)
            }
            (None, Some(first)) => {
                let mut fault =
                    site.fault(FaultKind::Garbage, "it left decisions without an answer");
                fault.evidence = Evidence { unit: unit(first), ..self.evidence() };
                fault.count = bad.unanswered_count;
                faults.push(fault);
                Ok(true)
            }
            (None, None) => Ok(true),
        }
    }

    fn evidence(&mut self) -> Evidence {
        let evidence = self.process.as_mut().map(Process::evidence_now).unwrap_or_default();
        // The host, not the bot, writes to the pipes.
        Evidence { last_input: self.asked.to_string(), last_output: String::new(), ..evidence }
    }
}

impl Bot for BatchBot {
    fn start(&mut self, seat: Seat<'_>, _: &mut Vec<Fault>) {
        self.launch.turn_log.forget_cost();
        self.start.clear();
        seat.game.write_start(seat.player, seat.names, &mut self.start);
        self.tell_start();
    }

    fn prepare(&mut self, part: BatchPart<'_>, faults: &mut Vec<Fault>) {
        if self.process.is_none() && self.restarts > 0 {
            self.restarts -= 1;
            // Fuel, not time, limits these bots: they have to load on a slow machine, too.
            let clock = if self.fueled { behind(0) } else { LOADING };
            if let Err((fault, _)) = self.load(part.into(), clock) {
                faults.push(fault);
            }
        }
    }

    fn ask(&mut self, part: BatchPart<'_>, _: &mut Vec<Fault>) {
        self.ask_from(part, 0);
    }

    fn collect(
        &mut self,
        part: BatchPart<'_>,
        mut answers: AnswersMut<'_>,
        faults: &mut Vec<Fault>,
    ) -> Progress {
        while self.process.is_some() {
            match self.collect_part(part, answers.reborrow(), faults) {
                Err(progress) => return progress,
                Ok(false) => break,
                Ok(true) if self.range.end == part.decisions.len() => break,
                Ok(true) => self.ask_from(part, self.range.end),
            }
        }
        if self.process.is_none() && self.restarts == 0 {
            // Answers from before its end count.
            answers.forfeit_missing();
        }
        Progress::Done
    }

    fn stop(&mut self) {
        self.process = None;
        self.restarts = 0;
    }

    fn is_silent(&self) -> bool {
        self.process.is_none()
    }

    fn time_left(&self) -> Option<Duration> {
        // Fuel ends a question long before the clock behind it.
        if self.fueled {
            None
        } else {
            self.timer.as_ref()?.estimate(&self.process.as_ref()?.meter())
        }
    }

    fn turn_log(&self) -> Option<TurnLog> {
        Some(self.launch.turn_log.clone())
    }

    fn evidence(&mut self) -> Evidence {
        self.evidence()
    }

    fn batch_limits(&self) -> Option<BatchLimits> {
        let clock = self.timing.or(self.pace.clock).filter(|_| !self.fueled);
        clock.map(|clock| BatchLimits { clock, ..self.pace })
    }

    fn usage(&mut self) -> Option<Usage> {
        self.process.as_mut().and_then(Process::usage)
    }

    fn shutdown(&mut self, patience: Duration) -> Option<ShutdownReport> {
        self.process.take().and_then(|process| process.shutdown(patience))
    }
}

/// Answers that cannot be used.
#[derive(Default)]
struct BadAnswers {
    garbage: Option<(usize, String)>,
    garbage_count: u64,
    unanswered: Option<usize>,
    unanswered_count: u64,
}

impl BadAnswers {
    fn add(&mut self, i: usize, why: Unusable) {
        match why {
            Unusable::Garbage(detail) => {
                self.garbage.get_or_insert((i, detail));
                self.garbage_count += 1;
            }
            Unusable::Unanswered => {
                self.unanswered.get_or_insert(i);
                self.unanswered_count += 1;
            }
        }
    }
}

/// Reads the child's first line, which confirms that the bot is loaded.
///
/// # Errors
/// With the child's description of the problem.
pub(crate) fn loaded(line: &str, host: &Path) -> Result<(), String> {
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    let (version, text) = rest.split_once(' ').unwrap_or((rest, ""));
    match (word, version == VERSION) {
        ("ready", true) => Ok(()),
        ("error", true) => Err(text.to_owned()),
        ("ready" | "error", false) if !version.is_empty() => Err(format!(
            "`{}` is of version {version}, but this arena of version {VERSION}; both have to be \
             built from the same source (`cargo build --release -p agon -p agon-wasm`)",
            host.display()
        )),
        _ => Err(format!("`{}` is no program that runs bots for this arena", host.display())),
    }
}

/// Reads the child's line about a batch: the length of the answers, or a problem.
#[warn(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap,
    clippy::cast_lossless,
    reason = "replies are foreign bytes, whose numbers must not change unnoticed"
)]
pub(crate) fn reply(line: &str, batch: u64) -> Option<Result<usize, (FaultKind, String)>> {
    let mut words = line.splitn(4, ' ');
    let word = words.next()?;
    let number = words.next()?;
    if number.parse() != Ok(batch) {
        return None;
    }
    match word {
        "done" => Some(Ok(words.next()?.parse().ok()?)),
        "trap" => {
            let kind = match TrapKind::from_id(words.next()?)? {
                TrapKind::Fuel => FaultKind::Timeout,
                TrapKind::Memory => FaultKind::Memory,
                TrapKind::Crash => FaultKind::Crash,
            };
            Some(Err((kind, words.next().unwrap_or_default().to_owned())))
        }
        _ => None,
    }
}

/// Describes a fault while loading, with all output of the bot.
pub(crate) fn load_message(fault: &Fault) -> String {
    let mut message = fault.detail.clone();
    if let Some(status) = fault.evidence.exit_status.filter(|&status| status != 0) {
        message.push_str(&format!(" (exit status {status})"));
    }
    if let Some(signal) = fault.evidence.signal {
        message.push_str(&format!(" (signal {signal})"));
    }
    match fault.evidence.stderr_tail.trim_end() {
        "" => message,
        talk => format!("{message}\n{talk}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_is_far_behind_the_fuel() {
        assert_eq!(behind(0), Clock::cpu(Duration::from_secs(60)));
        assert_eq!(behind(12_500_000_000), Clock::cpu(Duration::from_secs(60 + 1250)));
        assert!(behind(u64::MAX).then > Duration::from_secs(1 << 33));
    }
}
