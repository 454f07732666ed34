//! The host of native libraries and WebAssembly: a bot that answers whole batches in a child
//! process.
//!
//! A bot that crashes or never returns loses only the decisions that it has not answered yet. It
//! never harms the arena. The child loads it again for the next turn, with empty variables. After
//! [`RESTARTS`] restarts the bot stays out.

use std::{ops::Range, path::Path, time::Duration};

use agon_core::{Evidence, Fault, FaultKind, Purpose};
use agon_games::{
    batch::{Unusable, question},
    jsonl::message::{Start, line},
};

use super::{
    child::Child,
    link::{BatchOutcome, LOADING, Link},
    memory::{ANSWER_ROOM, QUESTION_ROOM},
    serve::Call,
};
use crate::{
    BatchLimits, BatchPart, Bot, Clock, HostOptions, HostedGame, OpenError, Progress, Seat,
    ShutdownReport, Timing, TurnLog, Usage,
    process::{Asked, FaultSite},
};

/// How often in a match a bot is loaded again after a crash or an endless loop.
pub const RESTARTS: u32 = 3;

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
fn behind(fuel: u64) -> Clock {
    let units = Duration::from_nanos(fuel.saturating_mul(BEHIND_UNIT.as_nanos() as u64));
    Clock::cpu(BEHIND_FUEL.saturating_add(units))
}

/// A bot in a match.
pub(crate) struct BatchBot {
    link: Link,
    pace: BatchLimits,
    fueled: bool,
    unlimited: bool,
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
    /// # Errors
    /// If it cannot be loaded.
    pub(crate) fn open<G: HostedGame>(
        child: &Child,
        path: &Path,
        options: &HostOptions,
    ) -> Result<BatchBot, OpenError> {
        let link = Link::open(child, path, options)?;
        let unlimited = options.timing == Timing::Unlimited;
        let pace = BatchLimits { each: options.timing.each(G::PACE.each), ..G::PACE };
        let fueled = child.fueled;
        let range = 0..0;
        let restarts = RESTARTS;
        let asked = Asked::default();
        let buffer = Vec::new();
        Ok(BatchBot { link, pace, fueled, unlimited, restarts, range, asked, buffer })
    }

    /// Asks for as many decisions from `start` on as one question holds.
    fn ask_from<G: HostedGame>(&mut self, part: BatchPart<'_, G>, start: usize) {
        if !self.link.is_running() {
            return;
        }
        let mut end = part.decisions.len().min(start + MAX_PART);
        let mut room;
        loop {
            let decisions = &part.decisions[start..end];
            question(part.game, part.step, decisions, &mut self.buffer);
            room = part.game.answer_room(decisions);
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
        let fuel =
            if self.unlimited { u64::MAX } else { G::FUEL.saturating_mul(decisions.len() as u64) };
        let room = room.min(ANSWER_ROOM);
        let records = decisions.len() * G::HEADER.answer.size;
        let seed = part.game.seed();
        let number = seed.stream(Purpose::Number(part.player.0), part.step).bits();
        let seed = seed.with_number(number).derive(start as u64).number();
        let call = Call { length: self.buffer.len(), room, records, fuel, seed };
        let clock = if self.fueled { behind(fuel) } else { self.pace.clock };
        self.link.ask(
            &self.buffer,
            call,
            clock,
            self.pace.each.saturating_mul(decisions.len() as u32),
        );
        self.range = start..end;
        self.asked = Asked::new(part.step, decisions);
    }

    /// Collects the answers to the range that has been asked; false if the bot failed.
    ///
    /// Fails while the answer is missing.
    fn collect_part<G: HostedGame>(
        &mut self,
        part: BatchPart<'_, G>,
        answers: &mut [G::Answer],
        faults: &mut Vec<Fault>,
    ) -> Result<bool, Progress> {
        let place: FaultSite = part.into();
        let BatchOutcome { length, fault } = self.link.look(place)?;
        self.link.answered(length, &mut self.buffer);
        let decisions = &part.decisions[self.range.clone()];
        let mut bad = BadAnswers::default();
        let answers = &mut answers[self.range.clone()];
        part.game.read_answers(decisions, &self.buffer, answers, &mut |i, why| bad.add(i, why));
        let unit = |i: usize| decisions.get(i).map(|decision| decision.unit);
        if let Some((i, detail)) = bad.garbage {
            let mut fault = place.fault(FaultKind::Garbage, detail);
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
                    place.fault(FaultKind::Garbage, "it left decisions without an answer");
                fault.evidence = Evidence { unit: unit(first), ..self.evidence() };
                fault.count = bad.unanswered_count;
                faults.push(fault);
                Ok(true)
            }
            (None, None) => Ok(true),
        }
    }
}

impl BatchBot {
    fn evidence(&mut self) -> Evidence {
        Evidence { last_input: self.asked.to_string(), ..self.link.evidence() }
    }
}

impl<G: HostedGame> Bot<G> for BatchBot {
    fn start(&mut self, seat: Seat<'_, G>, _: &mut Vec<Fault>) {
        self.link.start(line(&Start::new(seat.game, seat.player, seat.names)));
    }

    fn prepare(&mut self, part: BatchPart<'_, G>, faults: &mut Vec<Fault>) {
        if !self.link.is_running() && self.restarts > 0 {
            self.restarts -= 1;
            // Fuel, not time, limits these bots: they have to load on a slow machine, too.
            let clock = if self.fueled { behind(0) } else { LOADING };
            if let Err(failure) = self.link.load(part.into(), clock) {
                faults.push(failure.fault);
            }
        }
    }

    fn ask(&mut self, part: BatchPart<'_, G>, _: &mut Vec<Fault>) {
        self.ask_from(part, 0);
    }

    fn collect(
        &mut self,
        part: BatchPart<'_, G>,
        answers: &mut [G::Answer],
        faults: &mut Vec<Fault>,
    ) -> Progress {
        while self.link.is_running() {
            match self.collect_part(part, answers, faults) {
                Err(progress) => return progress,
                Ok(false) => break,
                Ok(true) if self.range.end == part.decisions.len() => break,
                Ok(true) => self.ask_from(part, self.range.end),
            }
        }
        if !self.link.is_running() && self.restarts == 0 {
            // Answers from before its end count.
            let missing = answers.iter_mut().filter(|answer| **answer == G::Answer::default());
            missing.for_each(|answer| *answer = G::forfeit());
        }
        Progress::Done
    }

    fn stop(&mut self) {
        self.link.stop();
        self.restarts = 0;
    }

    fn is_silent(&self) -> bool {
        !self.link.is_running()
    }

    fn time_left(&self) -> Option<Duration> {
        // Fuel ends a question long before the clock behind it.
        if self.fueled { None } else { self.link.time_left() }
    }

    fn turn_log(&self) -> Option<TurnLog> {
        Some(self.link.turn_log())
    }

    fn evidence(&mut self) -> Evidence {
        self.evidence()
    }

    fn batch_limits(&self) -> Option<BatchLimits> {
        let clock = self.link.clock(self.pace.clock).filter(|_| !self.fueled);
        clock.map(|clock| BatchLimits { clock, ..self.pace })
    }

    fn usage(&mut self) -> Option<Usage> {
        self.link.usage()
    }

    fn shutdown(&mut self, patience: Duration) -> Option<ShutdownReport> {
        self.link.shutdown(patience)
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
