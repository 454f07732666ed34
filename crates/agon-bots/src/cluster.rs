//! The host of programs that speak cluster's own protocol: they get text and answer with a line.
//!
//! Any fault ends the program. Its default answer then gives the game up.

use std::time::Duration;

use agon_core::{Fault, FaultKind};
use agon_games::any::AnswersMut;
use agon_games::cluster::protocol::{
    ANSWER_MILLISECONDS, EMPTY_LINE, FIRST_ANSWER_MILLISECONDS, Session, parse_answer,
};
use agon_games::cluster::{Answer, Cluster};

use crate::clock::{Bank, Timer};
use crate::hints::{self, PRINT_TO_STDERR, looks_like_json};
use crate::process::{FaultSite, Launch, Process, Trouble, methods_of_program};
use crate::{
    BatchLimits, BatchPart, Bot, Clock, HostOptions, Hosting, Progress, Seat, program::Program,
};

/// The time limits that the game documents.
const CLOCK: Clock = Clock {
    first: Duration::from_millis(FIRST_ANSWER_MILLISECONDS),
    then: Duration::from_millis(ANSWER_MILLISECONDS),
    wall_factor: Clock::WALL_FACTOR,
    bank: Duration::ZERO,
};

/// The longest line in bytes. An answer takes less than 20.
const MAX_LINE: usize = 4096;

/// The bytes of its question that a bot may leave unread.
///
/// This is the line feed of the empty line at the end: a bot that reads numbers instead of lines
/// may not read it.
const MAY_BE_UNREAD: u64 = 1;

pub(crate) const HOSTING: Hosting = Hosting {
    program: Some(|program, options| Ok(Box::new(open(program, options)))),
    own_answer: Some(|line| parse_answer(line).is_ok()),
    ..Hosting::with_pace(BatchLimits { clock: CLOCK, each: Duration::ZERO })
};

/// A program in a match.
struct ClusterBot {
    launch: Launch,
    clock: Option<Clock>,
    bank: Bank,
    /// Its messages so far; `None` before the match.
    session: Option<Session>,
    /// `None` before the match and after a fault.
    process: Option<Process>,
    timer: Option<Timer>,
    /// The number of its answers so far.
    answers: u64,
}

fn open(program: Program, options: &HostOptions) -> ClusterBot {
    let mut launch = program.launch(options);
    launch.most_output = MAX_LINE;
    let clock = options.clock(CLOCK);
    let bank = Bank::of(clock);
    ClusterBot { launch, clock, bank, session: None, process: None, timer: None, answers: 0 }
}

impl Bot for ClusterBot {
    fn start(&mut self, seat: Seat<'_>, faults: &mut Vec<Fault>) {
        match Process::start(&self.launch, FaultSite::start(seat.player)) {
            Ok(mut process) => {
                let session = Session::new(seat.player);
                process.send(session.init_message(seat.game.of_game::<Cluster>()).as_bytes());
                self.session = Some(session);
                self.process = Some(process);
            }
            Err(fault) => faults.push(fault),
        }
    }

    fn ask(&mut self, part: BatchPart<'_>, faults: &mut Vec<Fault>) {
        let (Some(process), Some(session)) = (&mut self.process, &mut self.session) else { return };
        let timer = Timer::start(self.clock, self.answers == 0, &process.meter());
        self.timer = Some(timer.banked(self.bank));
        process.pump();
        if let Some(fault) =
            early(process, part.into(), "it wrote before it had been asked for this answer")
        {
            let fault = self.hinted(fault);
            faults.push(self.with_protocol_hint(fault));
            self.process = None;
            return;
        }
        process.send(session.turn_message(part.game.of_game::<Cluster>()).as_bytes());
    }

    fn collect(
        &mut self,
        part: BatchPart<'_>,
        mut answers: AnswersMut<'_>,
        faults: &mut Vec<Fault>,
    ) -> Progress {
        match self.answer(part.into()) {
            Err(progress) => return progress,
            Ok(Ok(answer)) => {
                self.answers += 1;
                answers.of_game::<Cluster>().fill(answer);
            }
            Ok(Err(fault)) => {
                faults.push(self.with_protocol_hint(fault));
                self.process = None;
            }
        }
        Progress::Done
    }

    fn stop(&mut self) {
        self.process = None;
    }

    fn is_silent(&self) -> bool {
        self.process.is_none()
    }

    fn batch_limits(&self) -> Option<BatchLimits> {
        self.clock.map(|clock| BatchLimits { clock, each: Duration::ZERO })
    }

    fn start_hint(&self, _: &str) -> Option<String> {
        self.launch.typed.speaks_json().then(|| self.launch.typed.jsonl())
    }

    methods_of_program!(launch.turn_log);
}

impl ClusterBot {
    /// Returns the answer, or its fault; the outer error means no answer yet, or no program.
    fn answer(&mut self, place: FaultSite) -> Result<Result<Answer, Fault>, Progress> {
        let (Some(process), Some(timer)) = (&mut self.process, &self.timer) else {
            return Err(Progress::Done);
        };
        // Output while the question is still being written is too early, even without a whole line.
        let done = |process: &mut Process| {
            let whole = process.has_line();
            whole || process.unsent() > 0 && !process.inbox().is_empty()
        };
        if let Err(trouble) = process.look(timer, done)? {
            // A bot that dies of the question's content has read it.
            let has_read = process.unread() <= MAY_BE_UNREAD;
            let fault = process.end_with_trouble(place, trouble, timer);
            let stumbled = !has_read || speaks_of_nothing(&fault.evidence.stderr_tail);
            return Ok(Err(if stumbled { self.hinted(fault) } else { fault }));
        }
        self.bank.charge(timer.beyond(&process.meter()));
        // The pipe only gets emptier: bytes that are unread now were unread when the bot wrote.
        if process.unread() > MAY_BE_UNREAD
            && let Some(fault) =
                early(process, place, "it wrote before it had read its whole question")
        {
            return Ok(Err(self.hinted(fault)));
        }
        let line = process.take_line().unwrap_or_default();
        match parse_answer(line) {
            Ok(answer) => Ok(Ok(answer)),
            Err(error) => {
                let is_talk = is_talk(line);
                let mut fault = process.end_with(place, FaultKind::Garbage, error);
                if is_talk {
                    hints::add(&mut fault, PRINT_TO_STDERR);
                }
                Ok(Err(self.hinted(fault)))
            }
        }
    }

    /// Adds a likely reason to a fault.
    ///
    /// A bot that reads only the documented lines survives its first turn. Then it reads the empty
    /// line at the end of that message instead of the next line.
    fn hinted(&self, mut fault: Fault) -> Fault {
        let kinds = [FaultKind::Crash, FaultKind::Garbage, FaultKind::Early];
        // Text for people explains itself.
        let is_talk = fault.detail.contains(PRINT_TO_STDERR);
        if self.answers == 1 && kinds.contains(&fault.kind) && !is_talk {
            hints::add(&mut fault, EMPTY_LINE);
        }
        fault
    }

    /// Adds the other protocol to the fault of a program that may speak it.
    fn with_protocol_hint(&self, mut fault: Fault) -> Fault {
        if self.answers == 0 {
            self.launch.typed.hint_at_jsonl(&mut fault);
        }
        fault
    }
}

/// Returns whether a line is no attempt at an answer, and so probably text for people.
fn is_talk(line: &[u8]) -> bool {
    let word = line.split(u8::is_ascii_whitespace).find(|word| !word.is_empty());
    let commands: [&[u8]; 2] = [b"PLACE", b"ROTATE"];
    let is_command = |word: &[u8]| commands.iter().any(|own| own.eq_ignore_ascii_case(word));
    !looks_like_json(line) && !word.is_some_and(is_command)
}

/// Returns whether a program's last words are a language's complaint about empty text as a number.
fn speaks_of_nothing(stderr: &str) -> bool {
    ["''", "\"\"", "'\\n'", "empty", "index out of", "out of range"]
        .iter()
        .any(|words| stderr.contains(words))
}

/// Returns the fault of a program that wrote something before it had its whole question.
fn early(process: &mut Process, place: FaultSite, what: &str) -> Option<Fault> {
    if process.inbox().is_empty() {
        return None;
    }
    let (kind, detail) = match process.trouble() {
        Some(Trouble::Flood) => (FaultKind::Flood, "it keeps writing without being asked"),
        _ => (FaultKind::Early, what),
    };
    let is_talk = process.inbox().split(|&byte| byte == b'\n').next().is_some_and(is_talk);
    let mut fault = process.end_with(place, kind, detail);
    if is_talk {
        hints::add(&mut fault, PRINT_TO_STDERR);
    }
    Some(fault)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn talk_is_told_from_bad_answers() {
        for talk in ["thinking...", "", "  ", "0.5 PLACE", "PLACED 1"] {
            assert!(is_talk(talk.as_bytes()), "{talk}");
        }
        for answer in ["PLACE 1 2", "place x", " ROTATE", r#"{"step": 0, "answers": []}"#] {
            assert!(!is_talk(answer.as_bytes()), "{answer}");
        }
        assert!(is_talk(b"\xff\xfe"));
    }
}
