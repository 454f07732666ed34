//! Costs and stderr of the bots in a match, as a replay keeps them.
//!
//! The referee records them, and `agon replay info --bot` shows them. Like faults they are
//! observations, which nobody can verify by playing the match again.

use agon_core::Player;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Observations of the bots with processes, beside their answers and faults.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnosis {
    /// A record for each of them, by player.
    pub bots: Vec<BotRecord>,
}

impl Diagnosis {
    /// Returns the record of a player's bot; `None` if it had no process.
    pub fn of(&self, player: Player) -> Option<&BotRecord> {
        self.bots.iter().find(|bot| bot.player == player)
    }

    /// Escapes invisible characters in the bots' output.
    pub(crate) fn escape(&mut self) {
        let talks = self.bots.iter_mut().map(|bot| &mut bot.stderr);
        for turn in talks.flat_map(|talk| talk.first.iter_mut().chain(&mut talk.last)) {
            turn.text = agon_core::text::escape_lines(&turn.text).into_owned();
        }
    }
}

/// Observations of one bot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BotRecord {
    /// The bot's player.
    pub player: Player,
    /// Totals of all turns.
    pub totals: BotTotals,
    /// The most expensive answers by CPU time per decision, the most expensive first.
    ///
    /// Answers of programs that the arena has not started are compared by wall time.
    pub slowest: Vec<TurnCost>,
    /// The bot's stderr output.
    pub stderr: Talk,
}

/// The costs of a bot, and its end.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BotTotals {
    /// The number of processes that were started for it.
    ///
    /// It is more than one if the bot was loaded again, or is started each turn.
    pub processes: u64,
    /// The exit status of the last one, if it ended by itself.
    pub exit_status: Option<i32>,
    /// The signal that ended the last one, unless it was the arena's.
    pub signal: Option<i32>,
    /// Peak of resident memory, in bytes.
    pub peak_memory: Option<u64>,
    /// CPU time of all processes in microseconds.
    ///
    /// For bots that share a process it is the CPU time of their answers.
    pub cpu_us: Option<u64>,
    /// The number of answers that the arena waited for.
    pub answers: u64,
    /// The number of decisions in these answers.
    pub decisions: u64,
    /// CPU time per decision.
    pub cpu_per_decision: Option<Spread>,
    /// Wall time per answer.
    pub wall_per_answer: Option<Spread>,
    /// Bytes written to stderr.
    pub stderr_bytes: u64,
}

/// The spread of times, in nanoseconds.
///
/// With more than 4096 answers, median and 99th percentile may be up to a hundredth too high.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Spread {
    /// All time divided by the number of decisions (or answers).
    pub mean_ns: u64,
    /// Half of the answers took at most this long.
    pub median_ns: u64,
    /// 99 of 100 answers took at most this long.
    pub p99_ns: u64,
    /// The longest time.
    pub max_ns: u64,
    /// The step with the longest time.
    pub max_step: u64,
}

/// The cost of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TurnCost {
    /// The step of the match.
    pub step: u64,
    /// The number of decisions in it.
    pub decisions: u64,
    /// CPU time in microseconds.
    pub cpu_us: Option<u64>,
    /// Wall time in microseconds.
    pub wall_us: u64,
}

/// A bot's stderr output, turn by turn. Of long output only the first and last turns are kept.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Talk {
    /// The first turns with output.
    pub first: Vec<TurnTalk>,
    /// The part that is left out after these.
    pub left_out: LeftOut,
    /// The last turns with output.
    pub last: Vec<TurnTalk>,
}

impl Talk {
    /// Returns the kept turns, in order.
    pub fn turns(&self) -> impl Iterator<Item = &TurnTalk> {
        self.first.iter().chain(&self.last)
    }
}

/// The part of the stderr output that is not kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LeftOut {
    /// The number of turns without any kept output.
    pub turns: u64,
    /// The number of bytes in these turns.
    pub bytes: u64,
}

/// The stderr output up to a bot's answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TurnTalk {
    /// The step of the match; `None` for output after the bot's last answer.
    pub step: Option<u64>,
    /// The number of bytes.
    pub bytes: u64,
    /// Its beginning and its end, as printable text.
    pub text: String,
}
