//! Programs for rezzo: they get binary messages, and answer two bytes each tick.
//!
//! The tick goes on without whoever has not answered in time: that is silence, and the bot may catch up. Only
//! a broken pipe, or output without end, ends the program; its agent is then gone.

use std::time::Duration;

use agon_core::{Evidence, Fault, FaultKind, Game};
use agon_games::rezzo::{
    Answer, Rezzo,
    protocol::{Inbox, MESSAGE_BYTES, REPLY_BYTES, write_message},
};

use crate::{
    Bot, Clock, Diary, Farewell, HostOptions, Hosted, Pace, Seat, Turn, Usage,
    clock::{Bank, Timer},
    open::ProgramHost,
    process::{Launch, Place, Process, Trouble},
    program::Program,
};

/// A tick that lasts its full time: wall time, as the game has it. A late bot misses ticks, it does not lose.
const STEADY: Clock = Clock::wall(Duration::from_millis(60));

/// A tick that is over when all have answered: nobody waits for the clock on the wall, so bots are charged CPU
/// time, and a match does not depend on how busy the machine is. The first answer includes the start-up.
const QUICK: Clock = Clock { first: Duration::from_secs(1), ..Clock::cpu(Duration::from_millis(60)) };

/// How many bytes a bot may write in a tick. One that catches up with all messages that fit its pipe writes less.
const MOST_OUTPUT: usize = 4096;

impl Hosted for Rezzo {
    const PACE: Pace = Pace { clock: QUICK, each: Duration::ZERO };

    const PROGRAM: Option<ProgramHost<Rezzo>> = Some(|program, options| Ok(Box::new(open(program, options))));
}

/// A program in a match.
struct RezzoBot {
    launch: Launch,
    clock: Option<Clock>,
    /// Empty if ticks are steady: they do not wait.
    bank: Bank,
    /// Whether to wait for the end of the tick although the bot has answered.
    steady: bool,
    /// `None` before the match and after the program has ended.
    process: Option<Process>,
    inbox: Inbox,
    timer: Option<Timer>,
    asked: bool,
    /// Bytes read in this tick.
    read: usize,
    /// Whether it was silent in the last tick: a fault tells the first tick of a silence only.
    silent: bool,
}

fn open(program: Program, options: &HostOptions) -> RezzoBot {
    let mut launch = program.launch(options);
    launch.most_output = MOST_OUTPUT;
    let clock = options.timing.or(if options.steady { STEADY } else { QUICK });
    // Without a clock a tick has no full time to wait for.
    let steady = options.steady && clock.is_some();
    let bank = if steady { Bank::default() } else { Bank::of(clock) };
    let (process, inbox, timer) = (None, Inbox::default(), None);
    RezzoBot { launch, clock, bank, steady, process, inbox, timer, asked: false, read: 0, silent: false }
}

impl Bot<Rezzo> for RezzoBot {
    fn start(&mut self, seat: Seat<'_, Rezzo>, faults: &mut Vec<Fault>) {
        match Process::start(&self.launch, Place::start(seat.player)) {
            Ok(process) => self.process = Some(process),
            Err(fault) => faults.push(fault),
        }
    }

    fn ask(&mut self, turn: Turn<'_, Rezzo>, faults: &mut Vec<Fault>) {
        let Some(process) = &mut self.process else { return };
        let view = turn.game.view(turn.decisions[0]);
        // Whoever was silent gets no more than the tick's own time, or a bot that hangs would hold up every tick.
        let (clock, bank) = match self.silent {
            true => (self.clock.map(|clock| Clock::wall(clock.then)), Bank::default()),
            false => (self.clock, self.bank),
        };
        self.timer = Some(Timer::start(clock, !self.asked, &process.meter()).banked(bank));
        self.asked = true;
        // What came since the last tick is late.
        process.pump();
        self.read = feed(&mut self.inbox, process);
        self.inbox.begin(view.ts());
        if process.unsent() < MESSAGE_BYTES {
            process.send(&write_message(&view));
        } else if !self.silent {
            // Its pipe is full. Messages are left out as a whole, so that it can catch up.
            self.silent = true;
            faults.push(process.seen_now(turn.into(), FaultKind::Timeout, "it does not read its messages"));
        }
    }

    fn collect(&mut self, turn: Turn<'_, Rezzo>, answers: &mut [Answer], faults: &mut Vec<Fault>) {
        let answer = match self.answer(turn.into(), faults) {
            Ok(answer) => answer,
            Err(fault) => {
                faults.extend(fault);
                self.process = None;
                Answer::Gone
            }
        };
        answers.fill(answer);
    }

    fn stop(&mut self) {
        self.process = None;
    }

    fn diary(&self) -> Option<Diary> {
        Some(self.launch.diary.clone())
    }

    fn witness(&mut self) -> Evidence {
        self.process.as_mut().map(Process::evidence_now).unwrap_or_default()
    }

    fn pace(&self) -> Option<Pace> {
        self.clock.map(|clock| Pace { clock, each: Duration::ZERO })
    }

    fn usage(&mut self) -> Option<Usage> {
        self.process.as_mut().and_then(Process::usage)
    }

    fn unasked(&mut self) -> Option<String> {
        self.process.as_mut().map(Process::unasked)
    }

    fn farewell(&mut self, patience: Duration) -> Option<Farewell> {
        self.process.take().and_then(|process| process.farewell(patience))
    }
}

impl RezzoBot {
    /// The answer of this tick; an error, with a fault the first time, if the program has come to its end.
    fn answer(&mut self, place: Place, faults: &mut Vec<Fault>) -> Result<Answer, Option<Fault>> {
        let (Some(process), Some(timer)) = (&mut self.process, &self.timer) else { return Err(None) };
        let (inbox, read, steady) = (&mut self.inbox, &mut self.read, self.steady);
        let waited = process.wait(timer, |process| {
            *read += feed(inbox, process);
            *read > MOST_OUTPUT || inbox.has_answer() && !steady
        });
        match waited {
            _ if *read > MOST_OUTPUT => {
                let detail = format!("it wrote {read} bytes in a tick; an answer takes {REPLY_BYTES}");
                return Err(Some(process.end_with(place, FaultKind::Flood, detail)));
            }
            Ok(()) | Err(Trouble::Timeout) => {}
            // Whoever ends after a last answer is noticed in the next tick.
            Err(Trouble::Crash | Trouble::Closed) if inbox.has_answer() => {}
            Err(trouble) => return Err(Some(process.end_with_trouble(place, trouble, timer))),
        }
        self.bank.charge(timer, &process.meter());
        let answer = inbox.answer();
        let silent = answer == Answer::Silence;
        if silent && !self.silent {
            let detail = format!("silent in this tick: {}", timer.words(&process.meter()));
            faults.push(process.seen_now(place, FaultKind::Timeout, detail));
        }
        self.silent = silent;
        Ok(answer)
    }
}

/// Hands on what has been read to the protocol; returns the number of bytes.
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
    use agon_games::rezzo::Rules;

    use super::*;

    #[test]
    fn messages_for_a_bot_that_does_not_read_are_left_out() {
        let words = ["sleep".to_owned(), "1000".to_owned()];
        let program = Program::find("sleep 1000", &words, &[]).unwrap();
        let mut bot = open(program, &HostOptions::default());
        let game = Rezzo::new(&Rules { width: 40, height: 40, ..Rules::default() }, 2, Seed(1)).unwrap();
        let (player, mut faults) = (Player(0), Vec::new());
        bot.start(Seat { game: &game, player, names: &[] }, &mut faults);
        // More than a pipe holds, by far.
        for step in 0..2000 {
            bot.ask(Turn { game: &game, step, player, decisions: &game.decisions()[..1] }, &mut faults);
        }
        assert!(bot.process.as_ref().unwrap().unsent() < 2 * MESSAGE_BYTES);
        assert_eq!(faults.len(), 1, "told once: {faults:#?}");
        assert!(faults[0].detail.contains("does not read"), "{}", faults[0].detail);
    }
}
