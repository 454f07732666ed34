//! A JVM in a match: sends the questions of the species in it, and takes their answers.

use std::time::{Duration, Instant};
use std::{sync::Arc, sync::atomic::Ordering};

use agon_core::{Fault, FaultKind, Game, Player, Purpose};
use agon_games::amoebas::{Amoebas, Answer};
use serde_json::{Value, json};

use super::Jvms;
use super::answers::{self, Decided};
use super::jvm::{Jvm, MatchState, STARTING, has_usual_physics};
use super::question::{Home, Question};
use crate::clock::{CpuMeter, Timer};
use crate::process::{Asked, FaultSite, Process, note_cost};
use crate::{
    BatchLimits, BatchPart, Clock, Progress, Seat, Timing, TurnLog, amoebas, turn_log::Cost,
};

/// The number of batches with a longer limit at first, while the JVM still interprets.
const WARM_UP: u64 = 50;
const WARM_UP_FACTOR: u32 = 3;

/// The factor at which the arena ends a JVM that misses its own limits.
///
/// The JVM limits its species itself. It may fail to, because a species has got hold of it or the
/// machine is slow. It ends when all its threads together have used this multiple of the limit, and
/// a moment more.
const BEYOND_FACTOR: u32 = 3;
const BEYOND: Duration = Duration::from_secs(2);
const BEYOND_WALL_FACTOR: u32 = 5;

/// The most bytes of a question, and of room for its answers.
const QUESTION_ROOM: usize = crate::batch::QUESTION_ROOM;
const ANSWER_ROOM: usize = crate::batch::ANSWER_ROOM;

/// The place of a species that lives in another JVM.
const ELSEWHERE: i64 = -1;

impl Jvm {
    /// Notes who plays.
    ///
    /// Files see the constants of the match while they load. If these differ from the usual ones,
    /// which the files saw when they were examined, the JVM restarts. Does not wait.
    pub(super) fn seat(&mut self, seat: &Seat<'_>, number: usize) {
        let Seat { game, player, names } = *seat;
        let rules = game.of_game::<Amoebas>().rules();
        if self.play.seats.is_empty()
            && !has_usual_physics(rules)
            && let Err(fault) = self.restart(Some(rules), FaultSite::start(player))
        {
            self.play.ended = Some((fault, Vec::new()));
        }
        let seats = &mut self.play.seats;
        if seats.is_empty() {
            *seats = names.iter().map(|name| (name.clone(), None)).collect();
        }
        if let Some((_, place)) = seats.get_mut(player.index()) {
            *place = i64::try_from(number).ok();
        }
    }

    /// Seats the species of a tournament that the JVM itself knows.
    pub(super) fn seat_all(&mut self, names: &[String]) {
        let play = &mut self.play;
        play.question = Question::default();
        play.decided.clear();
        play.seats = names.iter().map(|name| (name.clone(), Some(0))).collect();
        play.seated = true;
    }

    /// Returns the number of species here.
    fn inhabitants(&self) -> usize {
        let here =
            |(_, place): &&(String, Option<i64>)| place.is_some_and(|place| place != ELSEWHERE);
        self.play.seats.iter().filter(here).count()
    }

    /// Returns whether only one species lives here, which then accounts for the whole process.
    fn is_alone(&self) -> bool {
        self.inhabitants() == 1
    }

    /// Returns whether several species live here.
    pub(super) fn is_shared(&self) -> bool {
        self.inhabitants() > 1
    }

    /// Waits for the end of a restart, before anybody's time runs.
    pub(super) fn prepare(&mut self, part: BatchPart<'_>) {
        if self.process.is_some()
            && self.owes()
            && let Err(fault) = self.settle_all(part.into(), "with the settings of the match: ")
        {
            self.play.ended = Some((fault, Vec::new()));
        }
    }

    /// Sends the seats of the players.
    fn take_seats(&mut self, jvms: &Jvms) {
        for ((_, place), player) in self.play.seats.iter_mut().zip(0..) {
            if place.is_none() && jvms.seats(Player(player)) {
                *place = Some(ELSEWHERE);
            }
        }
        let seats = json!(["seats", self.play.seats]);
        self.tell(&seats);
        // It keeps nothing of another match.
        self.play.question = Question::default();
        self.play.seated = true;
    }

    /// Adds a species' question to the question of the step. Does not wait.
    ///
    /// With a single species the question is sent at once, otherwise by the first call that waits
    /// for an answer.
    pub(super) fn ask(&mut self, part: BatchPart<'_>, jvms: &Jvms) {
        if self.process.is_none() {
            return;
        }
        if !self.play.seated {
            self.take_seats(jvms);
        }
        let seed = part.game.seed();
        let number = seed.stream(Purpose::Number(part.player.0), part.step).bits();
        let seed = seed.with_number(number).derive(0).number();
        let limit = self.limit(part.decisions.len());
        let MatchState { question, seats, .. } = &mut self.play;
        let home = |player: Player| match seats.get(player.index()) {
            Some((_, Some(ELSEWHERE))) => Home::Elsewhere,
            Some((_, Some(_))) => Home::Here,
            _ => Home::None,
        };
        question.add(part, seed, limit, home);
        if self.is_alone() {
            self.send_question(part);
        }
    }

    /// Returns the limit for these decisions in milliseconds of CPU time; 0 is no limit.
    fn limit(&self, decisions: usize) -> u64 {
        let BatchLimits { clock, each } = amoebas::HOSTING.pace;
        let each = self.timing.each(each);
        let Some(clock) = self.timing.or(clock) else { return 0 };
        let time = if self.play.batches == 0 { clock.first } else { clock.then };
        let time = time + each.saturating_mul(decisions as u32);
        let factor = if self.play.batches < WARM_UP { WARM_UP_FACTOR } else { 1 };
        (time * factor).as_millis().max(1) as u64
    }

    fn send_question(&mut self, part: BatchPart<'_>) {
        self.turn_log.turn();
        self.play.asked = Some(Instant::now());
        let MatchState { question, buffer, .. } = &mut self.play;
        question.write(part.game.of_game(), buffer);
        let length = buffer.len();
        let room = 32 * question.decisions();
        if length > QUESTION_ROOM || room > ANSWER_ROOM / 2 {
            let detail = format!("a question of {length} bytes is too long");
            let fault = self.end(part.into(), FaultKind::Garbage, detail);
            self.play.ended = Some((fault, Vec::new()));
            return;
        }
        self.area.ask(&self.play.buffer, 0);
        if self.play.batches == 0 {
            self.play.charged = self.cpu();
        }
        self.play.batches += 1;
        let command = format!("decide {} {length}\n", self.play.batches);
        self.play.sent = Some(self.timer());
        // Whoever waits for this reply does not hear of the one before.
        self.play.taken = Arc::default();
        if let Some(process) = &mut self.process {
            process.send(command.as_bytes());
        }
    }

    /// Starts to measure the arena's wait for an answer.
    fn timer(&self) -> Timer {
        let limits: u64 = self.play.question.parts.iter().map(|part| part.limit).sum();
        let time = BEYOND_FACTOR * Duration::from_millis(limits) + BEYOND;
        let clock = Clock { wall_factor: BEYOND_WALL_FACTOR, ..Clock::cpu(time) };
        let meter = self.process.as_ref().map_or(CpuMeter::NONE, Process::meter);
        Timer::start((self.timing != Timing::Unlimited).then_some(clock), false, &meter)
    }

    /// Returns an estimate of the time left for the answer of all species here.
    pub(super) fn time_left(&self) -> Option<Duration> {
        self.play.sent.as_ref()?.estimate(&self.process.as_ref()?.meter())
    }

    /// Returns the CPU time of the process so far.
    fn cpu(&self) -> Duration {
        self.process.as_ref().map_or(Duration::ZERO, |process| process.meter().used_so_far())
    }

    /// Takes a species' answers, once those of all species here have come.
    ///
    /// With several species the first call of a step sends the question.
    pub(super) fn collect(
        &mut self,
        part: BatchPart<'_>,
        answers: &mut [Answer],
        faults: &mut Vec<Fault>,
        turn_log: &TurnLog,
    ) -> Progress {
        if !self.play.question.parts.is_empty() {
            if let Err(progress) = self.exchange(part) {
                return progress;
            }
            self.play.question.clear();
        }
        let own = |decided: &Decided| decided.part.player == part.player;
        let Some(at) = self.play.decided.iter().position(own) else {
            self.tell_end(part, faults, turn_log);
            return Progress::Done;
        };
        let mut decided = self.play.decided.swap_remove(at);
        let cost = Cost { cpu: Some(decided.cpu), ..self.play.exchange.cost.unwrap_or_default() };
        for fault in &mut decided.faults {
            note_cost(&mut fault.evidence, Some(cost));
            fault.evidence.last_input = decided.part.asked.to_string();
            fault.evidence.peak_memory = self.process.as_mut().and_then(Process::peak_memory);
        }
        faults.extend(decided.faults);
        if let Some(asked) = self.play.asked {
            turn_log.spend(asked, cost);
        }
        turn_log.share(decided.cpu);
        turn_log.hear_end(decided.printed.0, &decided.printed.1);
        for (place, answer) in answers.iter_mut().zip(decided.answers) {
            *place = answer;
        }
        if decided.out && self.is_alone() {
            // This also ends all threads that it has left behind.
            self.process = None;
        }
        Progress::Done
    }

    /// Looks for all answers; fails while they have not come.
    ///
    /// The JVM has ended if it gave none.
    fn exchange(&mut self, part: BatchPart<'_>) -> Result<(), Progress> {
        if self.play.sent.is_none() && self.process.is_some() {
            self.send_question(part);
        }
        let Some(timer) = self.play.sent.take() else { return Ok(()) };
        let first = &self.play.question.parts[0];
        let place = FaultSite { player: first.player, step: first.step };
        let decided = match self.look_for_reply(&timer, place) {
            Ok(reply) => reply.and_then(|reply| self.read(&reply, place)),
            Err(progress) => {
                self.play.sent = Some(timer);
                return Err(match progress {
                    Progress::Waits(wait) => Progress::Waits(wait.or_taken(&self.play.taken)),
                    progress => {
                        self.play.taken.store(true, Ordering::Relaxed);
                        progress
                    }
                });
            }
        };
        self.play.taken.store(true, Ordering::Relaxed);
        self.play.exchange = self.turn_log.turn();
        match decided {
            Ok(decided) => self.play.decided = decided,
            Err(fault) => self.play.ended = Some((fault, Vec::new())),
        }
        Ok(())
    }

    fn read(&mut self, reply: &Value, place: FaultSite) -> Result<Vec<Decided>, Fault> {
        let word = reply[0].as_str();
        let of = reply[1].as_u64();
        let written = reply[2].as_u64();
        let written = written.filter(|&written| written as usize <= ANSWER_ROOM);
        let (Some("done"), true, Some(written)) = (word, of == Some(self.play.batches), written)
        else {
            return Err(self.end(place, FaultKind::Garbage, "it wrote to the arena's own pipe"));
        };
        let MatchState { buffer, question, .. } = &mut self.play;
        self.area.answered(written as usize, buffer);
        let read = answers::read(question, buffer);
        let mut decided = read.map_err(|wrong| {
            self.end(place, FaultKind::Garbage, format!("the JVM wrote no answers: {wrong}"))
        })?;
        if let ([decided], true) = (decided.as_mut_slice(), self.is_alone()) {
            // Everything that the process has used since its last answer, on any thread.
            let used = self.cpu();
            decided.cpu = used.saturating_sub(self.play.charged);
            self.play.charged = used;
        }
        Ok(decided)
    }

    /// Informs a species once that its JVM has ended.
    fn tell_end(&mut self, part: BatchPart<'_>, faults: &mut Vec<Fault>, turn_log: &TurnLog) {
        let alone = self.is_alone();
        let MatchState { ended, exchange, asked, .. } = &mut self.play;
        let Some((fault, told)) = ended else { return };
        if told.contains(&part.player) {
            return;
        }
        told.push(part.player);
        turn_log.hear_end(exchange.stderr.total(), exchange.stderr.text().as_bytes());
        if let (Some(cost), Some(asked)) = (exchange.cost, *asked) {
            turn_log.spend(asked, cost);
        }
        let count = part.decisions.len();
        let mut fault =
            Fault { player: part.player, step: part.step, count: count as u64, ..fault.clone() };
        let who = if alone { "it stays" } else { "all species of this JVM stay" };
        fault.detail.push_str(&format!(
            "; {count} of {count} decisions are lost, and {who} out from now on"
        ));
        fault.evidence.last_input = Asked::new(part.step, part.decisions).to_string();
        fault.evidence.unit = part.decisions.first().map(|decision| decision.unit);
        faults.push(fault);
    }

    /// Returns the time limits; the first answer's includes the start.
    pub(super) fn pace(&self) -> Option<BatchLimits> {
        let pace = amoebas::HOSTING.pace;
        let clock = self.timing.or(pace.clock)?;
        let first = STARTING.first + clock.first * WARM_UP_FACTOR;
        // The JVM itself keeps the limits, without a bank.
        Some(BatchLimits { clock: Clock { first, ..clock }.with_bank(Duration::ZERO), ..pace })
    }
}
