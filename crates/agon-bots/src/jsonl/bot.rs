//! The host of a program that speaks the JSON Lines protocol: sends its questions and takes its
//! answers.

use std::time::{Duration, Instant};

use agon_core::{Fault, FaultKind, Outcome};
use agon_games::any::{AnswersMut, AnyGame};
use agon_games::jsonl::message::{End, write_line};

use super::line::{LineVerdict, OwnAnswer, hint_at_own, judge, line_hint};
use crate::clock::{Bank, Timer};
use crate::hints::{self, PRINT_TO_STDERR, Typed};
use crate::process::{FaultSite, Launch, Process, Trouble, methods_of_program};
use crate::silence::{Missed, Silence};
use crate::{BatchLimits, BatchPart, Bot, Clock, Hosting, Progress, Seat, TurnLog};

/// The base limit in bytes of a line, and of all output between two good answers.
const MIN_OUTPUT_LIMIT: usize = 64 << 10;

/// Bytes on top for each decision.
const OUTPUT_PER_DECISION: usize = 1 << 10;

/// The most characters of JSON for one byte.
const CHARACTERS_PER_BYTE: usize = 6;

/// The bytes of its question that a bot may leave unread.
///
/// This is the line feed, which a bot that reads up to the last brace does not read.
const MAY_BE_UNREAD: u64 = 1;

/// The number of late answers in a row that ends a bot.
pub const TIMEOUTS: u32 = 3;

/// The time that a bot has to end by itself after the match.
pub const GOODBYE: Duration = Duration::from_millis(200);

/// The origin of a program.
pub(super) enum Start {
    /// It has to be started.
    Launch(Box<Launch>),
    /// It already runs.
    Connected(Box<Process>),
}

/// A program in a match.
pub(super) struct JsonBot {
    /// `None` once the match has started.
    start: Option<Start>,
    turn_log: TurnLog,
    clock: Option<Clock>,
    bank: Bank,
    /// The clock for the first answer, and whether it has been asked for.
    first: Option<Clock>,
    has_begun: bool,
    /// Extra time for each decision.
    each: Duration,
    /// `None` before the match, and after the end of the program.
    process: Option<Process>,
    /// The timer of the question; `None` if no answer is expected.
    timer: Option<Timer>,
    /// The limit of its output in bytes.
    most_output: usize,
    /// Bytes since the last good answer that belong to no answer.
    useless: usize,
    /// Bytes of the output that were searched and have no line feed.
    scanned: usize,
    /// Whether the last line was bad, so that the waiting lines belong to it.
    after_bad: bool,
    /// The number of answers to earlier questions.
    late: u64,
    /// The number of questions in a row without an answer in time.
    timeouts: u32,
    /// Used instead of `timeouts` in a game that continues without the bot.
    silence: Option<Silence>,
    /// The number of questions in a row while older ones were still unread.
    unread: u32,
    /// Whether one of its answers could be used.
    has_answered: bool,
    /// Knows answers of the game's own protocol.
    own_answer: OwnAnswer,
    /// The program as a person named it, if the arena starts it.
    typed: Option<Typed>,
    /// The time at which the program is killed, if it knows that the match is over.
    deadline: Option<Instant>,
}

impl JsonBot {
    /// Makes a bot with a clock for the first answer, one for later ones, and time per decision.
    pub(super) fn new(
        start: Start,
        first: Option<Clock>,
        clock: Option<Clock>,
        each: Duration,
        hosting: &Hosting,
    ) -> JsonBot {
        let (turn_log, typed) = match &start {
            Start::Launch(launch) => (launch.turn_log.clone(), Some(launch.typed.clone())),
            Start::Connected(process) => (process.turn_log.clone(), None),
        };
        JsonBot {
            start: Some(start),
            turn_log,
            clock,
            bank: Bank::of(clock),
            first,
            has_begun: false,
            each,
            process: None,
            timer: None,
            most_output: MIN_OUTPUT_LIMIT,
            useless: 0,
            scanned: 0,
            after_bad: false,
            late: 0,
            timeouts: 0,
            silence: hosting.silent_turns.map(Silence::new),
            unread: 0,
            has_answered: false,
            own_answer: hosting.own_answer,
            typed,
            deadline: None,
        }
    }
}

impl Bot for JsonBot {
    fn start(&mut self, seat: Seat<'_>, faults: &mut Vec<Fault>) {
        let process = match self.start.take() {
            Some(Start::Launch(launch)) => Process::start(&launch, FaultSite::start(seat.player)),
            Some(Start::Connected(process)) => Ok(*process),
            None => return,
        };
        match process {
            Ok(mut process) => {
                process.send_with(|out| seat.game.write_start(seat.player, seat.names, out));
                self.process = Some(process);
            }
            Err(fault) => faults.push(fault),
        }
    }

    fn ask(&mut self, part: BatchPart<'_>, faults: &mut Vec<Fault>) {
        let Some(process) = &mut self.process else { return };
        let decisions = part.decisions.len();
        let room = part.game.room_for(part.decisions);
        self.most_output =
            MIN_OUTPUT_LIMIT + OUTPUT_PER_DECISION * decisions + CHARACTERS_PER_BYTE * room;
        process.allow_output(self.most_output);
        process.pump();
        // Its pipe is full. A game that continues leaves out whole questions, so that the bot can
        // catch up.
        let left_out = self.silence.is_some() && self.has_begun && process.unsent() > 0;
        if let Some(fault) = self.deaf(part.into()) {
            faults.push(fault);
            return;
        }
        if self.silence.is_some() {
            self.useless = 0;
        }
        let unsolicited = self.look_at_waiting_lines(part.into());
        let Some(process) = &mut self.process else {
            faults.extend(unsolicited);
            return;
        };
        // A bad line from before the question is all that this batch gets.
        if unsolicited.is_none() {
            let is_first = !std::mem::replace(&mut self.has_begun, true);
            let clock = if is_first { self.first } else { self.clock };
            let (clock, bank) = match &self.silence {
                Some(silence) => silence.limits(clock, self.bank),
                None => (clock, self.bank),
            };
            let extra = self.each.saturating_mul(decisions as u32);
            let timer = Timer::start_with(clock, is_first, extra, &process.meter());
            self.timer = Some(timer.banked(bank));
        }
        faults.extend(unsolicited);
        if !left_out {
            process.send_with(|out| part.game.write_question(part.step, part.decisions, out));
        }
    }

    fn collect(
        &mut self,
        part: BatchPart<'_>,
        mut answers: AnswersMut<'_>,
        faults: &mut Vec<Fault>,
    ) -> Progress {
        if let Some(timer) = self.timer.take() {
            match self.answer(part, answers.reborrow(), &timer) {
                Ok(fault) => faults.extend(fault.map(|fault| self.hinted(fault))),
                Err(progress) => {
                    self.timer = Some(timer);
                    return progress;
                }
            }
            if let Some(process) = &self.process {
                self.bank.charge(timer.beyond(&process.meter()));
            }
        }
        if self.process.is_none() {
            answers.forfeit();
        }
        Progress::Done
    }

    fn goodbye(&mut self, _: &AnyGame, outcome: Option<&Outcome>) -> Duration {
        let Some(process) = &mut self.process else { return Duration::ZERO };
        process.send_with(|out| write_line(&End { outcome: outcome.cloned() }, out));
        let now = Instant::now();
        process.see_off(now);
        self.deadline = Some(now + GOODBYE);
        GOODBYE
    }

    fn stop(&mut self) {
        if let (Some(mut process), Some(deadline)) = (self.process.take(), self.deadline) {
            process.see_off(deadline);
        }
    }

    fn is_silent(&self) -> bool {
        self.process.is_none() || self.silence.as_ref().is_some_and(Silence::is_late)
    }

    fn is_late(&self) -> bool {
        self.process.is_some() && self.silence.as_ref().is_some_and(Silence::is_late)
    }

    fn batch_limits(&self) -> Option<BatchLimits> {
        let first = self.first?.first;
        self.clock.map(|clock| BatchLimits { clock: Clock { first, ..clock }, each: self.each })
    }

    fn start_hint(&self, last_words: &str) -> Option<String> {
        let typed = self.typed.as_ref().filter(|_| self.own_answer.is_some())?;
        typed.is_confused(last_words).then(|| typed.own())
    }

    methods_of_program!(turn_log);
}

impl JsonBot {
    /// Looks for the answer to the question and returns its fault; fails while there is none.
    fn answer(
        &mut self,
        part: BatchPart<'_>,
        mut answers: AnswersMut<'_>,
        timer: &Timer,
    ) -> Result<Option<Fault>, Progress> {
        let place: FaultSite = part.into();
        loop {
            if let Err(trouble) = self.look_for_line(timer)? {
                return Ok(self.trouble(place, trouble, timer));
            }
            if let Some(fault) = self.flood(place) {
                return Ok(Some(fault));
            }
            let line = self.take_line(part.step, Some(answers.reborrow()));
            let Some((verdict, length, hint)) = line else { return Ok(None) };
            match verdict {
                LineVerdict::Late => {
                    self.late += 1;
                    self.useless += length;
                    timer.go_on();
                }
                LineVerdict::Bad(kind, detail) => {
                    return Ok(self.bad(place, length, (kind, detail), hint));
                }
                LineVerdict::Answer(bad) => {
                    self.has_answered = true;
                    (self.useless, self.timeouts) = (0, 0);
                    let process = self.process.as_mut();
                    if let (Some(process), Some(silence)) = (&process, &mut self.silence) {
                        silence.answered(process.received());
                    }
                    return Ok(process.zip(bad).map(|(process, bad)| bad.fault(process, part)));
                }
            }
        }
    }

    /// Takes a line and judges it; also returns its length, and what may help if it is bad.
    fn take_line(
        &mut self,
        step: u64,
        answers: Option<AnswersMut<'_>>,
    ) -> Option<(LineVerdict, usize, Option<String>)> {
        let typed = self.doubtful().cloned();
        let process = self.process.as_mut()?;
        // The pipe only gets emptier: bytes that are unread now were unread when the bot wrote.
        let asked = answers.filter(|_| process.unread() <= MAY_BE_UNREAD);
        let line = process.take_line()?;
        self.scanned = 0;
        let hint = line_hint(self.own_answer, typed.as_ref(), line);
        Some((judge(line, step, asked), line.len(), hint))
    }

    /// Ends a bot that writes but does not read, so that questions do not pile up.
    fn deaf(&mut self, place: FaultSite) -> Option<Fault> {
        let unsent = self.process.as_ref()?.unsent();
        self.unread = if unsent > 0 { self.unread + 1 } else { 0 };
        if self.unread < TIMEOUTS || self.silence.is_some() {
            return None;
        }
        let detail = format!(
            "it did not read its input: {unsent} bytes of earlier questions wait; that was \
             {TIMEOUTS} times in a row"
        );
        Some(self.end(place, FaultKind::Timeout, detail))
    }

    /// Handles lines that wait although nothing is asked: late answers, and unwanted output.
    fn look_at_waiting_lines(&mut self, place: FaultSite) -> Option<Fault> {
        if std::mem::take(&mut self.after_bad) {
            self.drop_waiting_lines();
        }
        while self.has_line() {
            if let Some(fault) = self.flood(place) {
                return Some(fault);
            }
            let (verdict, length, hint) = self.take_line(place.step, None)?;
            match verdict {
                LineVerdict::Bad(kind, detail) => {
                    return self.bad(place, length, (kind, detail), hint);
                }
                LineVerdict::Late | LineVerdict::Answer(_) => {
                    self.late += 1;
                    self.useless += length;
                }
            }
        }
        self.flood(place)
    }

    /// Looks for a whole line, or for too much output.
    fn look_for_line(&mut self, timer: &Timer) -> Result<Result<(), Trouble>, Progress> {
        let Some(mut process) = self.process.take() else { return Ok(Err(Trouble::Crash)) };
        let looked = process.look(timer, |process| {
            skip_blanks(process, &mut self.scanned, &mut self.useless);
            self.useless > self.most_output || find_line(process, &mut self.scanned)
        });
        self.process = Some(process);
        looked
    }

    fn has_line(&mut self) -> bool {
        let Some(process) = &mut self.process else { return false };
        skip_blanks(process, &mut self.scanned, &mut self.useless);
        find_line(process, &mut self.scanned)
    }

    fn drop_waiting_lines(&mut self) {
        let Some(process) = &mut self.process else { return };
        if let Some(end) = process.inbox().iter().rposition(|&byte| byte == b'\n') {
            process.take(end + 1);
            self.useless += end + 1;
            self.scanned = 0;
        }
    }

    /// Handles a line that loses the batch.
    fn bad(
        &mut self,
        place: FaultSite,
        length: usize,
        (kind, detail): (FaultKind, String),
        hint: Option<String>,
    ) -> Option<Fault> {
        self.useless += length;
        self.timeouts = 0;
        self.after_bad = true;
        let process = self.process.as_mut()?;
        if let Some(silence) = &mut self.silence {
            silence.answered(process.received());
        }
        let mut fault = process.seen_now(place, kind, detail);
        hint.into_iter().for_each(|hint| hints::add(&mut fault, &hint));
        Some(fault)
    }

    /// Returns the program as a person named it, as long as it may speak another protocol.
    fn doubtful(&self) -> Option<&Typed> {
        self.typed.as_ref().filter(|_| !self.has_answered)
    }

    /// Adds the game's own protocol to the fault of a program that may speak it.
    fn hinted(&self, mut fault: Fault) -> Fault {
        let waiting = self.process.as_ref().map_or(&[][..], Process::inbox);
        if let Some(typed) = self.doubtful() {
            hint_at_own(self.own_answer, &mut fault, typed, waiting);
        }
        fault
    }

    /// Ends a bot that has written more than its limit, even in a single line.
    fn flood(&mut self, place: FaultSite) -> Option<Fault> {
        let most = self.most_output;
        let process = self.process.as_mut()?;
        let line =
            process.inbox().iter().position(|&byte| byte == b'\n').unwrap_or(process.inbox().len());
        if line.max(self.useless) <= most {
            return None;
        }
        let detail = if line > most {
            format!("it wrote a line of more than {most} bytes")
        } else {
            format!(
                "it wrote more than {most} bytes that are no answer to a question; \
                 {PRINT_TO_STDERR}"
            )
        };
        Some(self.end(place, FaultKind::Flood, detail))
    }

    /// Handles the lack of an answer.
    fn trouble(&mut self, place: FaultSite, trouble: Trouble, timer: &Timer) -> Option<Fault> {
        let process = self.process.as_mut()?;
        let (kind, mut detail) = process.describe(trouble, timer);
        if trouble != Trouble::Timeout {
            return Some(self.end(place, kind, detail));
        }
        if self.late > 0 {
            detail.push_str(&format!("; {} late answers were dropped so far", self.late));
        }
        if let Some(silence) = &mut self.silence {
            if timer.had_no_core() {
                return None;
            }
            return match silence.missed(process.received()) {
                Missed::First => Some(process.seen_now(place, kind, detail)),
                Missed::Again => None,
                Missed::TooMany => {
                    let detail = silence.words();
                    Some(self.end(place, kind, detail))
                }
            };
        }
        self.timeouts += 1;
        if self.timeouts < TIMEOUTS {
            return Some(process.seen_now(place, kind, detail));
        }
        detail.push_str(&format!("; that was {TIMEOUTS} times in a row"));
        Some(self.end(place, kind, detail))
    }

    /// Ends the program.
    fn end(&mut self, place: FaultSite, kind: FaultKind, detail: String) -> Fault {
        let detail = format!("{detail}; the bot stays out from now on");
        match self.process.take() {
            Some(mut process) => process.end_with(place, kind, detail),
            None => place.fault(kind, detail),
        }
    }
}

/// Takes blanks and blank lines off the front of the output.
fn skip_blanks(process: &mut Process, scanned: &mut usize, useless: &mut usize) {
    let blanks = process.inbox().iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    if blanks > 0 {
        process.take(blanks);
        *useless += blanks;
        *scanned = 0;
    }
}

/// Returns whether a whole line waits; never searches the same bytes twice.
fn find_line(process: &Process, scanned: &mut usize) -> bool {
    let found = process.inbox()[*scanned..].contains(&b'\n');
    if !found {
        *scanned = process.inbox().len();
    }
    found
}
