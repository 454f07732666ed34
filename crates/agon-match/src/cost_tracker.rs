//! Adds up the cost of one bot's turns over a whole match, and keeps some of its output on stderr.
//!
//! The totals go into the result and the replay, where `agon replay info --bot` shows them.

use std::{collections::VecDeque, time::Duration};

use agon_core::Player;

use crate::bot::turn_log::TurnRecord;
use crate::bot::{Shortage, TurnLog};
use crate::replay::{BotRecord, BotTotals, LeftOut, Spread, Talk, TurnCost, TurnTalk};

/// How many of the answers with the highest cost per decision are kept.
const SLOWEST: usize = 10;

/// Limits of the kept stderr, for one bot and for all bots together, in bytes of text.
const MAX_STDERR: usize = 256 << 10;
const MAX_STDERR_OF_ALL: usize = 16 << 20;

/// Bytes that a text takes beside its own length.
const ENTRY: usize = 64;

/// A bot's answer in a step: its cost, and the output on stderr before it.
#[derive(Clone, Debug)]
pub struct TurnNote {
    /// The player.
    pub player: Player,
    /// How many decisions were asked for.
    pub decisions: u64,
    /// The turn in the bot's log.
    pub turn: TurnRecord,
}

/// Adds up the costs of one bot, and keeps some of its stderr.
pub(crate) struct CostTracker {
    player: Player,
    turn_log: TurnLog,
    decisions: u64,
    cpu: Times,
    wall: Times,
    slowest: Vec<TurnCost>,
    stderr: KeptStderr,
}

impl CostTracker {
    /// Starts without costs, for one of `bots` bots.
    pub(crate) fn new(player: Player, turn_log: TurnLog, bots: usize) -> CostTracker {
        let cpu = Times::default();
        let wall = Times::default();
        let slowest = Vec::new();
        let stderr = KeptStderr {
            most: MAX_STDERR.min(MAX_STDERR_OF_ALL / bots.max(1)),
            ..KeptStderr::default()
        };
        CostTracker { player, turn_log, decisions: 0, cpu, wall, slowest, stderr }
    }

    /// Ends the turn of a step.
    pub(crate) fn turn(&mut self, step: u64, decisions: u64) -> TurnNote {
        let turn = self.turn_log.turn();
        self.stderr.note(Some(step), &turn);
        if let Some(cost) = turn.cost {
            self.decisions += decisions;
            if let Some(cpu) = cost.cpu {
                self.cpu.note(step, cpu, decisions);
            }
            self.wall.note(step, cost.wall, 1);
            let cpu_us = cost.cpu.map(micros);
            let wall_us = micros(cost.wall);
            self.note_slow(TurnCost { step, decisions, cpu_us, wall_us });
        }
        TurnNote { player: self.player, decisions, turn }
    }

    fn note_slow(&mut self, turn: TurnCost) {
        let cost = |turn: &TurnCost| turn.cpu_us.unwrap_or(turn.wall_us) / turn.decisions.max(1);
        let at = self.slowest.partition_point(|other| cost(other) >= cost(&turn));
        if at < SLOWEST {
            self.slowest.truncate(SLOWEST - 1);
            self.slowest.insert(at, turn);
        }
    }

    /// Returns the first thing that its bot needed and the arena lacked.
    pub(crate) fn shortage(&self) -> Option<Shortage> {
        self.turn_log.shortage()
    }

    /// Returns the bot's record. Call it after the match, when the bot has been stopped.
    pub(crate) fn close(mut self) -> BotRecord {
        let last = self.turn_log.turn();
        self.stderr.note(None, &last);
        let record = self.turn_log.record();
        let totals = BotTotals {
            processes: record.processes,
            exit_status: record.exit.and_then(|exit| exit.status),
            signal: record.exit.and_then(|exit| exit.signal),
            peak_memory: record.peak_memory,
            cpu_us: record.cpu.map(micros),
            answers: self.wall.answers,
            decisions: self.decisions,
            cpu_per_decision: self.cpu.spread(),
            wall_per_answer: self.wall.spread(),
            stderr_bytes: record.stderr,
        };
        BotRecord {
            player: self.player,
            totals,
            slowest: self.slowest,
            stderr: self.stderr.close(),
        }
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

/// The kept part of a bot's output on stderr.
///
/// The first turns may fill half of the space, and the last turns the other half.
#[derive(Default)]
struct KeptStderr {
    most: usize,
    first: Vec<TurnTalk>,
    first_size: usize,
    left_out: LeftOut,
    last: VecDeque<TurnTalk>,
    last_size: usize,
}

impl KeptStderr {
    fn note(&mut self, step: Option<u64>, turn: &TurnRecord) {
        if turn.stderr.total() == 0 {
            return;
        }
        let talk = TurnTalk { step, bytes: turn.stderr.total(), text: turn.stderr.text() };
        let size = talk.text.len() + ENTRY;
        if self.last.is_empty() && self.first_size + size <= self.most / 2 {
            self.first_size += size;
            self.first.push(talk);
            return;
        }
        self.last_size += size;
        self.last.push_back(talk);
        while self.last_size > self.most / 2
            && self.last.len() > 1
            && let Some(oldest) = self.last.pop_front()
        {
            self.last_size -= oldest.text.len() + ENTRY;
            self.left_out.turns += 1;
            self.left_out.bytes += oldest.bytes;
        }
    }

    fn close(self) -> Talk {
        Talk { first: self.first, left_out: self.left_out, last: self.last.into() }
    }
}

/// The number of times that are kept exactly. With more times, Agon counts them in classes instead,
/// each less than one percent wide.
const EXACT: usize = 4096;

/// The highest bits of a time that decide its class: there are 128 classes between two powers of
/// two.
const BITS: u32 = 7;

/// The times of a bot's answers.
#[derive(Debug, Default)]
pub(crate) struct Times {
    each: Each,
    /// The longest time in nanoseconds, and its step.
    longest: (u64, u64),
    total: Duration,
    /// The number of answers.
    answers: u64,
    /// The number of decisions in them.
    count: u64,
}

/// The times in nanoseconds. For an answer with several decisions it is the time per decision.
#[derive(Debug)]
enum Each {
    Exact(Vec<u64>),
    /// The number of times in each class.
    Counted(Vec<u64>),
}

impl Default for Each {
    fn default() -> Each {
        Each::Exact(Vec::new())
    }
}

impl Times {
    /// Adds the time of an answer in a step, with `count` decisions.
    pub(crate) fn note(&mut self, step: u64, time: Duration, count: u64) {
        let each = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX) / count.max(1);
        if self.answers == 0 || each > self.longest.0 {
            self.longest = (each, step);
        }
        self.each.add(each);
        self.total = self.total.saturating_add(time);
        self.answers += 1;
        self.count += count.max(1);
    }

    /// Returns mean, median, 99th percentile and maximum; `None` if there are no times.
    pub(crate) fn spread(mut self) -> Option<Spread> {
        let (max_ns, max_step) = self.longest;
        let mean = self.total.as_nanos() / u128::from(self.count.max(1));
        let mean_ns = u64::try_from(mean).unwrap_or(u64::MAX);
        let mut percentile = |of_100: u64| {
            let rank = (u128::from(self.answers) * u128::from(of_100)).div_ceil(100) as u64;
            self.each.at(rank.saturating_sub(1)).map(|time| time.min(max_ns))
        };
        Some(Spread {
            mean_ns,
            median_ns: percentile(50)?,
            p99_ns: percentile(99)?,
            max_ns,
            max_step,
        })
    }
}

impl Each {
    fn add(&mut self, time: u64) {
        match self {
            Each::Exact(all) if all.len() < EXACT => all.push(time),
            Each::Exact(all) => {
                let mut counts = Each::Counted(Vec::new());
                std::mem::take(all).into_iter().for_each(|time| counts.add(time));
                counts.add(time);
                *self = counts;
            }
            Each::Counted(counts) => {
                let class = class(time);
                if counts.len() <= class {
                    counts.resize(class + 1, 0);
                }
                counts[class] += 1;
            }
        }
    }

    /// Returns the time with this rank, from 0 for the shortest. A counted time is rounded up.
    fn at(&mut self, mut rank: u64) -> Option<u64> {
        match self {
            Each::Exact(all) => {
                all.sort_unstable();
                all.get(usize::try_from(rank).ok()?).copied()
            }
            Each::Counted(counts) => {
                let mut is_before = |count: &u64| {
                    let is_before = *count <= rank;
                    rank = rank.saturating_sub(*count);
                    is_before
                };
                counts.iter().position(|count| !is_before(count)).map(longest_of)
            }
        }
    }
}

/// Returns the class of a time: its highest bits.
fn class(time: u64) -> usize {
    let shift = (u64::BITS - time.leading_zeros()).saturating_sub(BITS + 1);
    ((u64::from(shift) << BITS) + (time >> shift)) as usize
}

/// Returns the longest time of a class.
fn longest_of(class: usize) -> u64 {
    let class = class as u64;
    // From the second power of two on, the highest bit is part of the class.
    let shift = (class >> BITS).saturating_sub(1);
    let bits = class - (shift << BITS);
    (u128::from(bits + 1) << shift).saturating_sub(1).min(u128::from(u64::MAX)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bot::turn_log::Excerpt;

    #[test]
    fn the_dearest_answers_come_first() {
        let mut costs = CostTracker::new(Player(0), TurnLog::default(), 2);
        for step in 0..100 {
            let cpu_us = Some((step * 37) % 100);
            costs.note_slow(TurnCost { step, decisions: 1, cpu_us, wall_us: 0 });
        }
        let dearest: Vec<_> = costs.slowest.iter().filter_map(|turn| turn.cpu_us).collect();
        assert_eq!(dearest, [99, 98, 97, 96, 95, 94, 93, 92, 91, 90]);
    }

    #[test]
    fn of_much_talk_the_first_and_the_last_turns_are_kept() {
        let mut book = KeptStderr { most: 10 * (ENTRY + 1), ..KeptStderr::default() };
        let talk = |step| TurnTalk { step: Some(step), bytes: 1, text: "x".to_owned() };
        for step in 0..30 {
            book.note(
                Some(step),
                &TurnRecord { stderr: Excerpt::from(b"x".as_slice()), ..TurnRecord::default() },
            );
            // Nothing was said in these.
            book.note(Some(step), &TurnRecord::default());
        }
        let Talk { first, left_out, last } = book.close();
        assert_eq!(first, [0, 1, 2, 3, 4].map(talk));
        assert_eq!(last, [25, 26, 27, 28, 29].map(talk));
        assert_eq!(left_out, LeftOut { turns: 20, bytes: 20 });
    }

    #[test]
    fn percentiles_are_times_that_occurred() {
        let mut times = Times::default();
        for step in 0..200 {
            times.note(step, Duration::from_nanos(2 * (200 - step)), 2);
        }
        let spread = Spread { mean_ns: 100, median_ns: 100, p99_ns: 198, max_ns: 200, max_step: 0 };
        assert_eq!(times.spread(), Some(spread));
        assert_eq!(Times::default().spread(), None);
        let mut one = Times::default();
        one.note(7, Duration::ZERO, 1);
        assert_eq!(one.spread(), Some(Spread { max_step: 7, ..Spread::default() }));
    }

    #[test]
    fn classes_are_narrow_and_in_order() {
        let mut last = 0;
        for bits in 0..64 {
            for time in
                [1 << bits, (1 << bits) + 1, (1u64 << bits).wrapping_mul(3) / 2, (1 << bits) - 1]
            {
                let longest = longest_of(class(time));
                assert!(longest >= time && longest - time <= time / 128, "{time} {longest}");
            }
            let class = class(1 << bits);
            assert!(class > last || bits == 0);
            last = class;
        }
        assert_eq!(longest_of(class(u64::MAX)), u64::MAX);
        assert!((0..256).all(|time| longest_of(class(time)) == time), "short ones are exact");
    }

    #[test]
    fn a_million_times_take_no_more_room_than_some_thousands() {
        let mut times = Times::default();
        for step in 0..1_000_000u64 {
            // All numbers up to a million, in some order.
            times.note(step, Duration::from_nanos((step * 7919) % 1_000_000 * 1000), 1);
        }
        let Each::Counted(counts) = &times.each else { panic!("they are counted") };
        assert!(counts.len() <= 64 << BITS, "{}", counts.len());
        let spread = times.spread().unwrap();
        let is_near = |time: u64, wanted: u64| time >= wanted && time - wanted <= wanted / 100;
        assert!(is_near(spread.median_ns, 499_999_000), "{spread:?}");
        assert!(is_near(spread.p99_ns, 989_999_000), "{spread:?}");
        assert_eq!((spread.max_ns, spread.mean_ns), (999_999_000, 499_999_500));
    }
}
