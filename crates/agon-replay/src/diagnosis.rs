//! Costs and stderr of bots: observations of the recorder, as faults are.

use agon_core::Player;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What was seen of the bots that had processes, beside their answers and faults.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnosis {
    /// A record for each of them, by player.
    pub bots: Vec<BotRecord>,
}

impl Diagnosis {
    /// The record of a player's bot; `None` of one that had no process.
    pub fn of(&self, player: Player) -> Option<&BotRecord> {
        self.bots.iter().find(|bot| bot.player == player)
    }

    /// Puts escapes for what a reader would not see into what bots said.
    pub(crate) fn escape(&mut self) {
        let talks = self.bots.iter_mut().map(|bot| &mut bot.stderr);
        for turn in talks.flat_map(|talk| talk.first.iter_mut().chain(&mut talk.last)) {
            turn.text = agon_text::escape_lines(&turn.text).into_owned();
        }
    }
}

/// What was seen of one bot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BotRecord {
    /// Whose bot.
    pub player: Player,
    /// All turns together.
    pub totals: BotTotals,
    /// The answers that cost the most CPU time a decision (of programs that the arena has not
    /// started: the most time on the wall), the dearest first.
    pub slowest: Vec<TurnCost>,
    /// What it wrote to stderr.
    pub stderr: Talk,
}

/// What a bot cost and how it ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BotTotals {
    /// How many processes were started for it: more than one if it was loaded anew, or is started
    /// each turn.
    pub processes: u64,
    /// The exit status of the last one, if it ended by itself.
    pub exit_status: Option<i32>,
    /// The signal that ended the last one, unless it was the arena's.
    pub signal: Option<i32>,
    /// The most memory that was resident at a time, in bytes.
    pub peak_memory: Option<u64>,
    /// CPU time of all processes in microseconds; of bots that share a process that of their
    /// answers.
    pub cpu_us: Option<u64>,
    /// How many answers it was waited for.
    pub answers: u64,
    /// How many decisions these were.
    pub decisions: u64,
    /// CPU time a decision.
    pub cpu_per_decision: Option<Spread>,
    /// Time on the wall for an answer.
    pub wall_per_answer: Option<Spread>,
    /// Bytes written to stderr.
    pub stderr_bytes: u64,
}

/// How times are spread, in nanoseconds. Of more than 4096 answers median and 99th percentile are
/// told up to a hundredth too high.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Spread {
    /// All time divided by the number of decisions (or answers).
    pub mean_ns: u64,
    /// Half of the answers took no more.
    pub median_ns: u64,
    /// 99 of 100 answers took no more.
    pub p99_ns: u64,
    /// The longest.
    pub max_ns: u64,
    /// The step of the longest.
    pub max_step: u64,
}

/// What an answer cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnCost {
    /// The step of the match.
    pub step: u64,
    /// How many decisions were wanted.
    pub decisions: u64,
    /// CPU time in microseconds.
    pub cpu_us: Option<u64>,
    /// Time on the wall in microseconds.
    pub wall_us: u64,
}

/// What a bot wrote to stderr, turn by turn. Of much only the first and the last turns are kept.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Talk {
    /// The first turns with any.
    pub first: Vec<TurnTalk>,
    /// What is left out after these.
    pub left_out: LeftOut,
    /// The last turns with any.
    pub last: Vec<TurnTalk>,
}

impl Talk {
    /// The turns that are kept, in order.
    pub fn turns(&self) -> impl Iterator<Item = &TurnTalk> {
        self.first.iter().chain(&self.last)
    }
}

/// How much stderr is not kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// Of so many turns all.
    pub turns: u64,
    /// So many bytes in these turns.
    pub bytes: u64,
}

/// What came on stderr until a bot had answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnTalk {
    /// The step of the match; `None` of what came after the bot's last answer.
    pub step: Option<u64>,
    /// How many bytes it was.
    pub bytes: u64,
    /// Its beginning and its end, as printable text.
    pub text: String,
}
