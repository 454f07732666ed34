//! Adds up the cost of one bot's turns over a whole match, and keeps some of its output on stderr.
//!
//! The totals go into the result and the replay, where `agon replay info --bot` shows them.

use std::{collections::VecDeque, time::Duration};

use crate::bot::{Shortage, TurnLog, turn_log::TurnRecord};
use agon_core::Player;
use agon_replay::{BotRecord, BotTotals, LeftOut, Talk, TurnCost, TurnTalk};

use crate::times::Times;

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
            answers: self.wall.answers(),
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

#[cfg(test)]
mod tests {
    use crate::bot::turn_log::Excerpt;

    use super::*;

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
}
