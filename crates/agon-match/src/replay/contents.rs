//! The header of a replay: game, rules, seed, players and start.
//!
//! The writer puts it first. A reader takes everything from it that is known before the first
//! answer.

use std::fmt;

use agon_core::text::{MAX_NAME, escape, shown_name};
use agon_core::{BotInfo, FaultKind, Player, Seed, Standing};
use agon_games::any::AnyGame;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de};
use serde_json::value::RawValue;

/// The most bytes of the rules' text, and of the players'.
///
/// The largest hand-drawn map takes half as much.
const MAX_PART: usize = 16 << 20;

/// The most players: each needs a number.
const MAX_PLAYERS: usize = u16::MAX as usize;

/// The most steps before a match.
///
/// Every reader of JSON keeps this number exactly, and steps can be added to it.
const MAX_STEPS_BEFORE: u64 = 1 << 53;

/// The header of a replay.
///
/// Rules and start remain text until a game reads them. As a tree of values, a foreign file's text
/// could take more memory than there is.
#[derive(Clone, Debug, Deserialize)]
pub struct Header {
    /// The game's id.
    pub game: String,
    /// The version of its rules.
    pub rules_version: u32,
    /// The version of Agon that recorded it.
    #[serde(deserialize_with = "word")]
    pub agon: String,
    /// The settings of the match, as JSON.
    #[serde(deserialize_with = "rules")]
    pub rules: Box<RawValue>,
    /// The seed.
    pub seed: Seed,
    /// The players' bots, in order of player number.
    #[serde(deserialize_with = "players")]
    pub players: Vec<BotInfo>,
    /// The position at the start of the match, as JSON, if it is not the game's own start.
    pub start: Option<Box<RawValue>>,
    /// Steps of an earlier match that led to the start.
    ///
    /// Its bots were asked in these steps as well, and counted them: for them the first step of the
    /// file had this number.
    #[serde(default, deserialize_with = "steps_before")]
    pub steps_before: u64,
    /// The hash of the first state.
    #[serde(with = "crate::replay::hex")]
    pub state_hash: u64,
}

/// Reads a word for people.
fn word<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Ok(shown_name(&String::deserialize(deserializer)?).into_owned())
}

/// Reads the rules as one line: line ends are just blanks in JSON.
fn rules<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Box<RawValue>, D::Error> {
    let text = part("rules", deserializer)?.get();
    RawValue::from_string(text.replace(['\n', '\r', '\t'], " ")).map_err(de::Error::custom)
}

/// Reads the players, with texts that can be shown.
fn players<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<BotInfo>, D::Error> {
    let text = part("players", deserializer)?.get();
    let mut players: Vec<BotInfo> = serde_json::from_str(text).map_err(de::Error::custom)?;
    if players.len() > MAX_PLAYERS {
        let text = format_args!("players: {} are more than {MAX_PLAYERS}", players.len());
        return Err(de::Error::custom(text));
    }
    for (number, bot) in players.iter_mut().enumerate() {
        for (what, length) in [("name", bot.name.len()), ("kind", bot.kind.len())] {
            if length > MAX_NAME {
                let text = format_args!(
                    "players[{number}].{what}: {length} bytes are more than {MAX_NAME}"
                );
                return Err(de::Error::custom(text));
            }
        }
        for text in [&mut bot.name, &mut bot.kind] {
            *text = shown_name(text).into_owned();
        }
        bot.spec = escape(&bot.spec).into_owned();
        bot.digest = bot.digest.take().map(|digest| shown_name(&digest).into_owned());
    }
    Ok(players)
}

/// Returns the text of a part of the header that is never large.
fn part<'de, D: Deserializer<'de>>(what: &str, deserializer: D) -> Result<&'de RawValue, D::Error> {
    let text = <&RawValue>::deserialize(deserializer)?;
    match text.get().len() {
        0..=MAX_PART => Ok(text),
        length => {
            Err(de::Error::custom(format_args!("{what}: {length} bytes are more than {MAX_PART}")))
        }
    }
}

fn steps_before<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    let steps = u64::deserialize(deserializer)?;
    if steps > MAX_STEPS_BEFORE {
        let text = format_args!("steps_before: {steps} is more than {MAX_STEPS_BEFORE}");
        return Err(de::Error::custom(text));
    }
    Ok(steps)
}

/// The header as it is written.
///
/// Rules and start are turned into text directly, so that their fields keep their order.
#[derive(Serialize)]
struct HeaderText<'a> {
    game: &'static str,
    rules_version: u32,
    agon: &'static str,
    rules: Box<RawValue>,
    seed: Seed,
    players: &'a [BotInfo],
    start: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "is_zero")]
    steps_before: u64,
    #[serde(with = "crate::replay::hex")]
    state_hash: u64,
}

/// Returns the JSON text of a match's header.
pub(crate) fn header_text(
    game: &AnyGame,
    players: &[BotInfo],
    steps_before: u64,
) -> Result<Vec<u8>, serde_json::Error> {
    let meta = game.meta();
    let start = (!game.is_start()).then(|| RawValue::from_string(game.position_json()));
    serde_json::to_vec(&HeaderText {
        game: meta.id,
        rules_version: meta.rules_version,
        agon: env!("CARGO_PKG_VERSION"),
        rules: RawValue::from_string(game.rules_json())?,
        seed: game.seed(),
        players,
        start: start.transpose()?,
        steps_before,
        state_hash: game.state_hash(),
    })
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// The parts of a header's text, for copies. Those that stay are not read.
#[derive(Deserialize, Serialize)]
struct Parts<'a> {
    #[serde(borrow)]
    game: &'a RawValue,
    #[serde(borrow)]
    rules_version: &'a RawValue,
    #[serde(borrow)]
    agon: &'a RawValue,
    #[serde(borrow)]
    rules: &'a RawValue,
    #[serde(borrow)]
    seed: &'a RawValue,
    players: Vec<BotInfo>,
    #[serde(borrow)]
    start: &'a RawValue,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    steps_before: Option<&'a RawValue>,
    #[serde(borrow)]
    state_hash: &'a RawValue,
}

/// Returns the text of a header with other names.
pub(crate) fn renamed(text: &[u8], names: &[String]) -> Result<Vec<u8>, serde_json::Error> {
    let mut parts: Parts<'_> = serde_json::from_slice(text)?;
    for (player, name) in parts.players.iter_mut().zip(names) {
        player.name.clone_from(name);
    }
    serde_json::to_vec(&parts)
}

/// Returns what a header says of the match: all but the names of the bots, and what people would
/// type to have them play.
pub(crate) fn record(text: &[u8]) -> Result<Vec<u8>, serde_json::Error> {
    let mut parts: Parts<'_> = serde_json::from_slice(text)?;
    for player in &mut parts.players {
        (player.name, player.spec) = (String::new(), String::new());
    }
    serde_json::to_vec(&parts)
}

/// The reason why a match is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// The rules ended it.
    Over,
    /// It was set to end after this many steps or turns.
    Limit,
    /// A person or an observer stopped it.
    Interrupted,
}

/// The reason why a match does not count: a stall of the machine that it was played on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum Void {
    /// It stood still for so long that no bot had its time.
    Stall {
        /// The length of the stall in milliseconds.
        stall_ms: u64,
    },
    /// A bot was late in a step in which the machine stood still.
    Timeout {
        /// The length of the stall in milliseconds.
        stall_ms: u64,
        /// The step of the match.
        step: u64,
    },
}

impl fmt::Display for Void {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Void::Stall { stall_ms } => write!(f, "the arena stood still for {stall_ms} ms"),
            Void::Timeout { stall_ms, step } => {
                write!(
                    f,
                    "the arena stood still for {stall_ms} ms in step {step}, in which a bot was \
                     late"
                )
            }
        }
    }
}

/// The number of faults of one kind by a player's bot.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
pub struct FaultTally {
    /// The bot's player.
    pub player: Player,
    /// The kind of fault.
    pub kind: FaultKind,
    /// The number of faults.
    pub count: u64,
}

/// The end of a replay.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Ending {
    /// The reason why the match is over.
    pub end: End,
    /// Steps played.
    pub steps: u64,
    /// Completed turns of the game.
    pub turns: u64,
    /// Answers given.
    pub decisions: u64,
    /// The standing of the players.
    pub standing: Standing,
    /// All faults by player and kind, including those without details.
    pub faults: Vec<FaultTally>,
    /// The reason why it does not count, if it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub void: Option<Void>,
    /// The hash of the last state.
    #[serde(with = "crate::replay::hex")]
    #[schemars(with = "String")]
    pub state_hash: u64,
}

impl Ending {
    /// Escapes invisible characters in all texts.
    pub(crate) fn escape(&mut self) {
        let measures = self.standing.players.iter_mut().flat_map(|player| &mut player.measures);
        measures.for_each(|(name, _)| *name = escape(name).into_owned());
        if let Some(outcome) = &mut self.standing.outcome {
            outcome.reason = escape(&outcome.reason).into_owned();
        }
    }
}

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
