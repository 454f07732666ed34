//! What a bot's processes cost and say, turn by turn.
//!
//! A host only keeps a [`TurnLog`]: the processes that it starts write there what they use, whoever
//! reads stderr writes there what comes. The referee turns the page after each answer. What a bot
//! writes to stderr before it answers is on the page of that turn; what it writes later is on that
//! of the next one.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use crate::{Exit, Shortage, process::printable};

/// How many bytes of a turn's stderr are kept from its beginning, and how many from its end.
const FIRST: usize = 1 << 10;
const LAST: usize = 3 << 10;

/// Where it is noted what a bot's processes cost and say. Clones are the same diary.
#[derive(Clone, Debug, Default)]
pub struct TurnLog(Arc<Mutex<LogState>>);

#[derive(Debug, Default)]
struct LogState {
    page: TurnRecord,
    /// Which question the last part of the page's cost is for, and the cost before that part.
    question: Option<(Instant, Option<Cost>)>,
    record: LogTotals,
    /// What the arena lacked.
    shortage: Option<Shortage>,
    /// The diary of a process in which others live as well.
    home: Option<TurnLog>,
}

/// What was noted since the page before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TurnRecord {
    /// What the answer cost; `None` if none was waited for.
    pub cost: Option<Cost>,
    /// What came on stderr.
    pub stderr: Excerpt,
}

/// What an answer cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// CPU time; `None` of programs that the arena has not started.
    pub cpu: Option<Duration>,
    /// Time on the wall until the answer was there.
    pub wall: Duration,
}

/// All turns together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LogTotals {
    /// How many processes were started.
    pub processes: u64,
    /// How the last one ended by itself; `None` if the arena ended it.
    pub exit: Option<Exit>,
    /// CPU time of all processes, with that of the programs that they started and waited for if
    /// they ended by themselves; of a bot that shares its process that of its answers.
    pub cpu: Option<Duration>,
    /// The most memory that one of them had resident at a time, in bytes. Of a process that ended
    /// by itself it is not below what its parent had resident when it started it.
    pub peak_memory: Option<u64>,
    /// Bytes written to stderr.
    pub stderr: u64,
}

impl TurnLog {
    /// The diary of a bot that lives in a process with others; `home` is that of the process.
    pub(crate) fn within(home: &TurnLog) -> TurnLog {
        let pages = LogState { home: Some(home.clone()), ..LogState::default() };
        TurnLog(Arc::new(Mutex::new(pages)))
    }

    /// Ends the page: what has been noted since the last one, for the turn that is over.
    pub fn turn(&self) -> TurnRecord {
        let mut pages = self.lock();
        pages.question = None;
        std::mem::take(&mut pages.page)
    }

    /// All that has been noted of the processes that have ended.
    pub fn record(&self) -> LogTotals {
        let pages = self.lock();
        let own = pages.record;
        match &pages.home {
            None => own,
            Some(home) => LogTotals { cpu: own.cpu, stderr: own.stderr, ..home.record() },
        }
    }

    /// What this turn's answer has cost so far.
    pub fn cost(&self) -> Option<Cost> {
        self.lock().page.cost
    }

    /// Notes what an answer has cost. A later note for the question asked at `question` replaces an
    /// earlier one; the cost of several questions of a turn is added up.
    pub(crate) fn spend(&self, question: Instant, cost: Cost) {
        let mut pages = self.lock();
        let before = match pages.question {
            Some((last, before)) if last == question => before,
            _ => pages.page.cost,
        };
        pages.question = Some((question, before));
        pages.page.cost = Some(before.map_or(cost, |before| before + cost));
    }

    /// Leaves out what has been spent so far, before the match.
    pub(crate) fn forget_cost(&self) {
        let mut pages = self.lock();
        (pages.question, pages.page.cost) = (None, None);
    }

    /// Notes what has come on stderr.
    pub(crate) fn hear(&self, bytes: &[u8]) {
        self.lock().hear(bytes.len() as u64, bytes);
    }

    /// Notes what has come on stderr, of which only the end is left.
    pub(crate) fn hear_end(&self, total: u64, end: &[u8]) {
        self.lock().hear(total, end);
    }

    /// What the arena lacked, if it did: then nothing that is wrong is the bot's fault.
    pub fn shortage(&self) -> Option<Shortage> {
        let (shortage, home) = {
            let pages = self.lock();
            (pages.shortage.clone(), pages.home.clone())
        };
        shortage.or_else(|| home?.shortage())
    }

    /// Notes that the arena lacks something; the first time counts.
    pub(crate) fn lack(&self, shortage: Shortage) {
        self.lock().shortage.get_or_insert(shortage);
    }

    /// Notes that a process has been started.
    pub(crate) fn process_started(&self) {
        self.lock().record.processes += 1;
    }

    /// Notes the end of a process: how it ended by itself, and what it has used.
    pub(crate) fn process_ended(
        &self,
        exit: Option<Exit>,
        cpu: Duration,
        peak_memory: Option<u64>,
    ) {
        let record = &mut self.lock().record;
        record.exit = exit;
        record.cpu = Some(record.cpu.unwrap_or_default() + cpu);
        record.peak_memory = record.peak_memory.max(peak_memory);
    }

    /// Notes CPU time used by a bot that shares its process.
    pub(crate) fn share(&self, cpu: Duration) {
        let record = &mut self.lock().record;
        record.cpu = Some(record.cpu.unwrap_or_default() + cpu);
    }

    fn lock(&self) -> MutexGuard<'_, LogState> {
        // Notes are good as far as they go, whatever happened to who wrote them.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LogState {
    fn hear(&mut self, total: u64, end: &[u8]) {
        self.record.stderr += total;
        self.page.stderr.push(total, end);
    }
}

impl std::ops::Add for Cost {
    type Output = Cost;

    fn add(self, other: Cost) -> Cost {
        let cpu = self.cpu.zip(other.cpu).map(|(a, b)| a + b).or(self.cpu).or(other.cpu);
        Cost { cpu, wall: self.wall + other.wall }
    }
}

/// The beginning and the end of what may be any number of bytes.
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
    /// How many bytes there were.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// What is kept as printable text, with a line in its middle that tells what is not.
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

    /// Appends `total` bytes, of which only the end is left.
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
    fn a_page_is_what_came_since_the_last_one() {
        let turn_log = TurnLog::default();
        turn_log.hear(b"one");
        turn_log.clone().hear(b" two");
        let page = turn_log.turn();
        assert_eq!(
            (page.stderr.text().as_str(), page.stderr.total(), page.cost),
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
