//! Cost and stderr of a bot's processes, turn by turn.
//!
//! A host only holds a [`TurnLog`]. Its processes note their cost there, and the threads that read
//! stderr add the output. The referee takes a [`TurnRecord`] out after each answer. A turn's record
//! has the stderr output from before the answer; later output is in the record of the next turn.
//! Results, bots' logs and replays show these records.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use agon_core::text::escape_bytes as printable;

use crate::bot::{Exit, Shortage};

/// The kept bytes of a turn's stderr: those of its beginning, and those of its end.
const FIRST: usize = 1 << 10;
const LAST: usize = 3 << 10;

/// Collects cost and stderr of a bot's processes. Clones share one log.
#[derive(Clone, Debug, Default)]
pub struct TurnLog(Arc<Mutex<LogState>>);

#[derive(Debug, Default)]
struct LogState {
    /// The current turn.
    turn: TurnRecord,
    /// The question that the last part of the turn's cost is for, and the cost before that part.
    question: Option<(Instant, Option<Cost>)>,
    totals: LogTotals,
    /// The first thing that the arena lacked.
    shortage: Option<Shortage>,
    /// The log of the process, if other bots share the process.
    home: Option<TurnLog>,
}

/// One turn of a [`TurnLog`]: everything noted since the turn before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TurnRecord {
    /// The cost of the answer; `None` if the arena waited for none.
    pub cost: Option<Cost>,
    /// The output on stderr.
    pub stderr: Excerpt,
}

/// The cost of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// CPU time; `None` for programs that the arena has not started.
    pub cpu: Option<Duration>,
    /// Time on the wall until the answer came.
    pub wall: Duration,
}

/// All turns together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LogTotals {
    /// The number of processes that were started.
    pub processes: u64,
    /// The end of the last process, if it ended by itself; `None` if the arena ended it.
    pub exit: Option<Exit>,
    /// CPU time of all processes.
    ///
    /// A process that ended by itself includes the programs that it started and waited for. A bot
    /// that shares its process has the CPU time of its answers.
    pub cpu: Option<Duration>,
    /// Peak of resident memory in one of them, in bytes.
    ///
    /// For a process that ended by itself it is at least the resident memory of its parent at
    /// its start.
    pub peak_memory: Option<u64>,
    /// Bytes written to stderr.
    pub stderr: u64,
}

impl TurnLog {
    /// Makes the log of a bot that shares its process; `home` is the log of the process.
    pub fn within(home: &TurnLog) -> TurnLog {
        let state = LogState { home: Some(home.clone()), ..LogState::default() };
        TurnLog(Arc::new(Mutex::new(state)))
    }

    /// Ends the turn and returns its record.
    pub fn turn(&self) -> TurnRecord {
        let mut state = self.lock();
        state.question = None;
        std::mem::take(&mut state.turn)
    }

    /// Returns the totals of the processes that have ended.
    pub fn record(&self) -> LogTotals {
        let state = self.lock();
        let own = state.totals;
        match &state.home {
            None => own,
            Some(home) => LogTotals { cpu: own.cpu, stderr: own.stderr, ..home.record() },
        }
    }

    /// Returns the cost of this turn's answer so far.
    pub fn cost(&self) -> Option<Cost> {
        self.lock().turn.cost
    }

    /// Notes the cost of an answer to the question asked at `question`.
    ///
    /// A later note for the same question replaces an earlier one. The costs of several questions
    /// of a turn add up.
    pub fn spend(&self, question: Instant, cost: Cost) {
        let mut state = self.lock();
        let before = match state.question {
            Some((last, before)) if last == question => before,
            _ => state.turn.cost,
        };
        state.question = Some((question, before));
        state.turn.cost = Some(before.map_or(cost, |before| before + cost));
    }

    /// Forgets the cost so far, because it came before the match.
    pub fn forget_cost(&self) {
        let mut state = self.lock();
        state.question = None;
        state.turn.cost = None;
    }

    /// Adds output on stderr.
    pub fn hear(&self, bytes: &[u8]) {
        self.lock().hear(bytes.len() as u64, bytes);
    }

    /// Adds `total` bytes of stderr, of which only `end` is left.
    pub fn hear_end(&self, total: u64, end: &[u8]) {
        self.lock().hear(total, end);
    }

    /// Returns the first thing that the arena lacked. If there is one, no fault is the bot's.
    pub fn shortage(&self) -> Option<Shortage> {
        let (shortage, home) = {
            let state = self.lock();
            (state.shortage.clone(), state.home.clone())
        };
        shortage.or_else(|| home?.shortage())
    }

    /// Notes that the arena lacks something. Only the first note counts.
    pub fn lack(&self, shortage: Shortage) {
        self.lock().shortage.get_or_insert(shortage);
    }

    /// Notes that a process has been started.
    pub fn process_started(&self) {
        self.lock().totals.processes += 1;
    }

    /// Notes the end of a process, with its CPU time and its peak memory.
    ///
    /// The exit is `None` unless it ended by itself.
    pub fn process_ended(&self, exit: Option<Exit>, cpu: Duration, peak_memory: Option<u64>) {
        let totals = &mut self.lock().totals;
        totals.exit = exit;
        totals.cpu = Some(totals.cpu.unwrap_or_default() + cpu);
        totals.peak_memory = totals.peak_memory.max(peak_memory);
    }

    /// Notes CPU time used by a bot that shares its process.
    pub fn share(&self, cpu: Duration) {
        let totals = &mut self.lock().totals;
        totals.cpu = Some(totals.cpu.unwrap_or_default() + cpu);
    }

    fn lock(&self) -> MutexGuard<'_, LogState> {
        // The notes stay valid even if a thread panicked while it wrote one.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LogState {
    fn hear(&mut self, total: u64, end: &[u8]) {
        self.totals.stderr += total;
        self.turn.stderr.push(total, end);
    }
}

impl std::ops::Add for Cost {
    type Output = Cost;

    fn add(self, other: Cost) -> Cost {
        let cpu = self.cpu.zip(other.cpu).map(|(a, b)| a + b).or(self.cpu).or(other.cpu);
        Cost { cpu, wall: self.wall + other.wall }
    }
}

/// The beginning and the end of any number of bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Excerpt {
    total: u64,
    first: Vec<u8>,
    last: VecDeque<u8>,
}

impl From<&[u8]> for Excerpt {
    fn from(bytes: &[u8]) -> Excerpt {
        let mut excerpt = Excerpt::default();
        excerpt.push(bytes.len() as u64, bytes);
        excerpt
    }
}

impl Excerpt {
    /// Returns the total number of bytes.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Returns the kept bytes as printable text. A line in the middle counts the missing ones.
    pub fn text(&self) -> String {
        let kept = (self.first.len() + self.last.len()) as u64;
        let last: Vec<u8> = self.last.iter().copied().collect();
        if kept >= self.total {
            return printable(&[self.first.as_slice(), &last].concat(), &['\n', '\t']);
        }
        let (first, last) =
            (printable(&self.first, &['\n', '\t']), printable(&last, &['\n', '\t']));
        format!("{first}\n[… {} bytes …]\n{last}", self.total - kept)
    }

    /// Appends `total` bytes, of which only `end` is left.
    fn push(&mut self, total: u64, end: &[u8]) {
        let is_whole = self.total == self.first.len() as u64 && total == end.len() as u64;
        self.total += total;
        let room = if is_whole { FIRST - self.first.len() } else { 0 };
        let (first, rest) = end.split_at(room.min(end.len()));
        self.first.extend_from_slice(first);
        let rest = &rest[rest.len().saturating_sub(LAST)..];
        let surplus = (self.last.len() + rest.len()).saturating_sub(LAST);
        self.last.drain(..surplus);
        self.last.extend(rest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost(ms: u64) -> Cost {
        Cost { cpu: Some(Duration::from_millis(ms)), wall: Duration::from_millis(10 * ms) }
    }

    #[test]
    fn a_turn_holds_what_came_since_the_last_one() {
        let turn_log = TurnLog::default();
        turn_log.hear(b"one");
        turn_log.clone().hear(b" two");
        let turn = turn_log.turn();
        assert_eq!(
            (turn.stderr.text().as_str(), turn.stderr.total(), turn.cost),
            ("one two", 7, None)
        );
        assert_eq!(turn_log.turn(), TurnRecord::default());
        assert_eq!(turn_log.record().stderr, 7);
    }

    #[test]
    fn costs_of_several_questions_are_added_up() {
        let turn_log = TurnLog::default();
        let first = Instant::now();
        turn_log.spend(first, cost(1));
        turn_log.spend(first, cost(2));
        assert_eq!(turn_log.cost(), Some(cost(2)));
        turn_log.spend(first + Duration::from_secs(1), cost(4));
        turn_log.spend(first + Duration::from_secs(1), cost(5));
        assert_eq!(turn_log.turn().cost, Some(cost(7)));
        assert_eq!(turn_log.cost(), None);
    }

    #[test]
    fn of_a_flood_the_beginning_and_the_end_are_kept() {
        let mut excerpt = Excerpt::default();
        excerpt.push(9, b"beginning");
        for _ in 0..1000 {
            excerpt.push(100, &[b'.'; 100]);
        }
        excerpt.push(3, b"end");
        let text = excerpt.text();
        assert_eq!(excerpt.total(), 100_012);
        assert!(text.starts_with("beginning...") && text.ends_with("...end"), "{text}");
        assert!(text.contains(&format!("\n[… {} bytes …]\n", 100_012 - FIRST - LAST)), "{text}");
        assert!(text.len() < FIRST + LAST + 100);
    }

    #[test]
    fn characters_may_be_anywhere() {
        let text = "ä".repeat((FIRST + LAST) / 2);
        let mut excerpt = Excerpt::default();
        excerpt.push(1, b"x");
        excerpt.push(text.len() as u64 - 1, &text.as_bytes()[..text.len() - 1]);
        assert_eq!(excerpt.text(), format!("x{}\\xc3", "ä".repeat(text.len() / 2 - 1)));
    }

    #[test]
    fn who_shares_a_process_has_its_end_and_an_own_cost() {
        let home = TurnLog::default();
        let species = TurnLog::within(&home);
        home.process_started();
        home.hear(b"of all");
        species.share(Duration::from_millis(3));
        species.hear_end(100, b"mine");
        let exit = Some(Exit { status: Some(1), signal: None });
        home.process_ended(exit, Duration::from_secs(9), Some(5));
        let cpu = Some(Duration::from_millis(3));
        assert_eq!(
            species.record(),
            LogTotals { processes: 1, exit, cpu, peak_memory: Some(5), stderr: 100 }
        );
        assert_eq!(species.turn().stderr.text(), "\n[… 96 bytes …]\nmine");
    }
}
