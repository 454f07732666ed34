//! The host of programs that speak rezzo's own protocol: they get binary messages and answer with
//! two bytes each tick.
//!
//! The tick continues without a late program, which may catch up. Only three things end a program:
//! a broken pipe, endless output, or silence for [`SILENT_TICKS`] ticks. Its agent is then gone.

use std::time::Duration;

use agon_core::{Fault, FaultKind, Game};
use agon_games::any::AnswersMut;
use agon_games::rezzo::protocol::{
    Inbox, MESSAGE_BYTES, REPLY_BYTES, parse_message, write_message,
};
use agon_games::rezzo::{Answer, Rezzo};

use crate::clock::{Bank, Timer};
use crate::hints::{self, PRINT_TO_STDERR, looks_like_json, looks_like_talk};
use crate::process::{FaultSite, Launch, Process, Trouble, methods_of_program};
use crate::silence::{Missed, Silence};
use crate::{
    BatchLimits, BatchPart, Bot, Clock, HostOptions, Hosting, Progress, Seat, program::Program,
    sandbox::Level,
};

/// The clock of a tick that lasts its full wall time, as the game defines it.
///
/// A late bot misses ticks but does not lose.
const STEADY: Clock = Clock::wall(Duration::from_millis(60));

/// The clock of a tick that ends when all bots have answered.
///
/// The tick does not wait for the wall clock, so bots are charged CPU time. A match then does not
/// depend on the load of the machine. The first answer includes the start-up.
const QUICK: Clock =
    Clock { first: Duration::from_secs(1), ..Clock::cpu(Duration::from_millis(60)) };

/// The number of silent ticks in a row that ends a program, whatever protocol it speaks.
pub(crate) const SILENT_TICKS: u32 = 50;

/// The output limit of a bot in bytes per tick.
///
/// A bot that catches up with all messages in its pipe writes less.
const MAX_OUTPUT: usize = 4096;

pub(crate) const HOSTING: Hosting = Hosting {
    silent_turns: Some(SILENT_TICKS),
    program: Some(|program, options| Ok(Box::new(open(program, options)))),
    own_answer: Some(are_replies),
    ..Hosting::with_pace(BatchLimits { clock: QUICK, each: Duration::ZERO })
};

/// Returns whether some output is whole replies of this protocol.
fn are_replies(output: &[u8]) -> bool {
    let (replies, rest) = output.as_chunks::<REPLY_BYTES>();
    let is_reply = |reply: &[u8; REPLY_BYTES]| parse_message(*reply).action.is_ok();
    !replies.is_empty() && rest.is_empty() && replies.iter().all(is_reply)
}

/// A program in a match.
struct RezzoBot {
    launch: Launch,
    clock: Option<Clock>,
    /// Empty if ticks are steady, because these do not wait.
    bank: Bank,
    /// Whether to wait for the end of the tick after the bot's answer.
    steady: bool,
    /// `None` before the match and after the program has ended.
    process: Option<Process>,
    inbox: Inbox,
    timer: Option<Timer>,
    asked: bool,
    /// Whether one of its answers was in time.
    has_answered: bool,
    /// Bytes read in this tick.
    read: usize,
    /// Whether this tick's message was left out, because earlier ones wait to be read.
    left_out: bool,
    silence: Silence,
}

fn open(program: Program, options: &HostOptions) -> RezzoBot {
    let mut launch = program.launch(options);
    launch.most_output = MAX_OUTPUT;
    // A steady tick lasts its full time, also the first one.
    let clock = match options.steady {
        true => options.timing.or(STEADY),
        false => options.clock(QUICK),
    };
    // Without a clock a tick has no full time to wait for.
    let steady = options.steady && clock.is_some();
    let bank = if steady { Bank::default() } else { Bank::of(clock) };
    RezzoBot {
        launch,
        clock,
        bank,
        steady,
        process: None,
        inbox: Inbox::default(),
        timer: None,
        asked: false,
        has_answered: false,
        read: 0,
        left_out: false,
        silence: Silence::new(SILENT_TICKS),
    }
}

impl Bot for RezzoBot {
    fn start(&mut self, seat: Seat<'_>, faults: &mut Vec<Fault>) {
        match Process::start(&self.launch, FaultSite::start(seat.player)) {
            Ok(process) => self.process = Some(process),
            Err(fault) => faults.push(fault),
        }
    }

    fn ask(&mut self, part: BatchPart<'_>, _: &mut Vec<Fault>) {
        let Some(process) = &mut self.process else { return };
        let view = part.game.of_game::<Rezzo>().view(part.decisions[0]);
        let (clock, bank) = self.silence.limits(self.clock, self.bank);
        self.timer = Some(Timer::start(clock, !self.asked, &process.meter()).banked(bank));
        self.asked = true;
        // Output since the last tick is late.
        process.pump();
        self.read = feed(&mut self.inbox, process);
        self.inbox.begin(view.ts());
        // If its pipe is full, whole messages are left out, so that it can catch up.
        self.left_out = process.unsent() >= MESSAGE_BYTES;
        if !self.left_out {
            process.send(&write_message(&view));
        }
    }

    fn collect(
        &mut self,
        part: BatchPart<'_>,
        mut answers: AnswersMut<'_>,
        faults: &mut Vec<Fault>,
    ) -> Progress {
        let answer = match self.answer(part.into(), faults) {
            Err(progress) => return progress,
            Ok(TickEnd::Answered(answer)) => {
                self.has_answered |= answer != Answer::Silence;
                answer
            }
            Ok(TickEnd::Gone(mut fault)) => {
                if let (Some(fault), false) = (&mut fault, self.has_answered) {
                    self.launch.typed.hint_at_jsonl(fault);
                    if self.launch.sandbox.level != Level::Off {
                        hints::hint_at_screen(fault);
                    }
                }
                faults.extend(fault);
                self.process = None;
                Answer::Gone
            }
        };
        answers.of_game::<Rezzo>().fill(answer);
        Progress::Done
    }

    fn stop(&mut self) {
        self.process = None;
    }

    fn is_silent(&self) -> bool {
        self.process.is_none() || self.silence.is_late()
    }

    fn is_late(&self) -> bool {
        self.process.is_some() && self.silence.is_late()
    }

    fn batch_limits(&self) -> Option<BatchLimits> {
        self.clock.map(|clock| BatchLimits { clock, each: Duration::ZERO })
    }

    fn start_hint(&self, _: &str) -> Option<String> {
        self.launch.typed.speaks_json().then(|| self.launch.typed.jsonl())
    }

    methods_of_program!(launch.turn_log);
}

/// The end of a tick for a program.
enum TickEnd {
    /// The program plays on. The answer may be silence.
    Answered(Answer),
    /// The program has ended; with a fault if it ended in this tick.
    Gone(Option<Fault>),
}

impl RezzoBot {
    /// Looks for the end of the tick for the program.
    ///
    /// # Errors
    /// With the events to wait for, as long as the tick continues.
    fn answer(&mut self, place: FaultSite, faults: &mut Vec<Fault>) -> Result<TickEnd, Progress> {
        let (Some(process), Some(timer)) = (&mut self.process, &self.timer) else {
            return Ok(TickEnd::Gone(None));
        };

        let inbox = &mut self.inbox;
        let read = &mut self.read;
        let steady = self.steady;
        let waited = process.look(timer, |process| {
            *read += feed(inbox, process);
            if steady && inbox.has_answer() {
                // The tick continues, but its cost is known.
                process.note_cost(timer);
            }
            *read > MAX_OUTPUT || inbox.has_answer() && !steady
        })?;

        if *read > MAX_OUTPUT {
            let detail = format!("it wrote {read} bytes in a tick; an answer takes {REPLY_BYTES}");
            let fault = process.end_with(place, FaultKind::Flood, detail);
            return Ok(TickEnd::Gone(Some(fault)));
        }
        match waited {
            Ok(()) | Err(Trouble::Timeout) => {}
            // A program that ends after a last answer is noticed in the next tick.
            Err(Trouble::Crash | Trouble::Closed) if inbox.has_answer() => {}
            Err(trouble) => {
                let fault = process.end_with_trouble(place, trouble, timer);
                return Ok(TickEnd::Gone(Some(fault)));
            }
        }

        self.bank.charge(timer.beyond(&process.meter()));
        let answer = inbox.answer();
        if answer != Answer::Silence {
            self.silence.answered(process.received());
            return Ok(TickEnd::Answered(answer));
        }
        if timer.had_no_core() {
            return Ok(TickEnd::Answered(answer));
        }

        match self.silence.missed(process.received()) {
            Missed::First if self.left_out => {
                let detail = "it does not read its messages";
                faults.push(process.seen_now(place, FaultKind::Timeout, detail));
            }
            Missed::First => {
                let mut detail = format!("silent in this tick: {}", timer.words(&process.meter()));
                if let Some((ts, now)) = inbox.stray() {
                    detail +=
                        &format!("; an answer with ts {ts} was dropped, as this tick has ts {now}");
                }
                let mut fault = process.seen_now(place, FaultKind::Timeout, detail);
                let output = &process.last_taken;
                if !self.has_answered && looks_like_json(output) {
                    hints::add(&mut fault, &self.launch.typed.jsonl());
                } else if looks_like_talk(output) && !are_replies(output) {
                    hints::add(&mut fault, PRINT_TO_STDERR);
                }
                faults.push(fault);
            }
            Missed::Again => {}
            Missed::TooMany => {
                let fault = process.end_with(place, FaultKind::Timeout, self.silence.words());
                return Ok(TickEnd::Gone(Some(fault)));
            }
        }
        Ok(TickEnd::Answered(answer))
    }
}

/// Passes the bytes that were read to the protocol, and returns their number.
fn feed(inbox: &mut Inbox, process: &mut Process) -> usize {
    let length = process.inbox().len();
    if length > 0 {
        inbox.feed(process.take(length));
    }
    length
}

#[cfg(test)]
mod tests {
    use agon_core::{Player, Seed};
    use agon_games::any::AnyGame;
    use agon_games::rezzo::Rules;

    use super::*;
    use crate::Timing;

    /// Asks a shell script a thousand times, and lets it answer if `collect`, each time within a
    /// limit in milliseconds.
    ///
    /// A pipe holds far fewer questions.
    fn asked(script: &str, collect: bool, limit: u64) -> (RezzoBot, Vec<Fault>) {
        let words = ["sh", "-c", script].map(str::to_owned);
        let program = Program::find("sh -c script", &words, &[], None).unwrap();
        let timing = Timing::Clock(Clock::wall(Duration::from_millis(limit)));
        let mut bot = open(program, &HostOptions { timing, ..HostOptions::default() });
        let rules = Rules { width: 40, height: 40, max_ticks: 0, ..Rules::default() };
        let game = AnyGame::of(Rezzo::new(&rules, 2, Seed(1)).unwrap());
        let player = Player(0);
        let mut answers = game.kind().no_answers();
        let mut faults = Vec::new();
        bot.start(Seat { game: &game, player, names: &[] }, &mut faults);
        for step in 0..1000 {
            let part = BatchPart { game: &game, step, player, decisions: &game.decisions()[..1] };
            bot.ask(part, &mut faults);
            if collect || step == 999 {
                answers.reset(1);
                bot.finish(part, answers.as_mut(), &mut faults);
            }
        }
        (bot, faults)
    }

    #[test]
    fn messages_for_a_bot_that_does_not_read_are_left_out() {
        // It writes something now and then, so that it is not stopped.
        let (bot, faults) = asked("while printf '  '; do sleep 0.01; done", true, 1);
        assert!(bot.left_out && bot.process.as_ref().unwrap().unsent() < 2 * MESSAGE_BYTES);
        assert_eq!(faults.len(), 1, "told once: {faults:#?}");
    }

    #[test]
    fn the_fault_says_if_messages_wait_to_be_read() {
        // It sleeps by then, even on a busy machine: one that still starts would have had no core.
        let (_, faults) = asked("exec sleep 1000", false, 500);
        assert_eq!(faults.len(), 1, "{faults:#?}");
        assert_eq!(faults[0].detail, "it does not read its messages");
    }
}
