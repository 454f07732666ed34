//! Events of recorded matches. The commands of `agon replay` print them.

use agon_core::{BotInfo, Fault, Player, PlayerStanding, Seed};
use agon_replay::{BotRecord, Ending, FaultTally};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, value::RawValue};

/// The contents of a replay.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReplayFacts<'a> {
    /// The game's id.
    pub game: &'a str,
    /// The version of the game's rules.
    pub rules_version: u32,
    /// The version of Agon that recorded it.
    pub agon: &'a str,
    /// The settings of the match; `agon rules GAME --json` prints their schema.
    // The file decides how long they are, so no tree is made of them.
    #[schemars(with = "Map<String, Value>")]
    pub rules: &'a RawValue,
    /// The seed of the match.
    pub seed: Seed,
    /// The bots, in order of player number.
    pub players: &'a [BotInfo],
    /// Recorded steps.
    pub steps: u64,
    /// Recorded answers.
    pub decisions: u64,
    /// The result; `null` if the recording ends early.
    pub result: Option<&'a Ending>,
    /// The recorded faults.
    pub faults: &'a [Fault],
    /// What is wrong with the file; `null` if nothing is.
    pub damage: Option<String>,
}

/// What a replay knows of one bot.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RecordedBot<'a> {
    /// The game's id.
    pub game: &'a str,
    /// The bot's player, from 0.
    pub player: Player,
    /// The bot.
    pub bot: &'a BotInfo,
    /// How it ended; `null` if the recording ends early.
    pub standing: Option<&'a PlayerStanding>,
    /// Its faults in detail; of many equal ones only the first.
    pub faults: &'a [Fault],
    /// The number of all its faults.
    pub fault_count: u64,
    /// What it cost and wrote; `null` if it had no process, or the file does not say.
    pub record: Option<&'a BotRecord>,
}

/// Whether a replay follows from the rules.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReplayVerdict {
    /// Whether it does.
    pub proven: bool,
    /// The verdict for people.
    pub text: String,
}

/// The bot that is asked again, and where in the match.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AskedBot<'a> {
    /// The game's id.
    pub game: &'a str,
    /// The step of the match, from 0.
    pub step: u64,
    /// Turns of the game that are over.
    pub turn: u64,
    /// The player in whose place it is asked.
    pub player: Player,
    /// The name of the player's recorded bot.
    pub name: &'a str,
    /// The bot that is asked.
    pub bot: Option<&'a BotInfo>,
}

/// An answer of the asked bot beside the recorded one.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AskedAnswer {
    /// The unit that the answer is for.
    pub unit: u32,
    /// The recorded answer, in the game's own form.
    pub recorded: Value,
    /// The answer of the asked bot, in the same form.
    pub now: Value,
    /// Whether both answers are the same.
    pub same: bool,
    /// What the unit sees, as in the JSON Lines protocol.
    pub sees: Value,
}

/// How many answers of the asked bot agree with the recorded ones.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AskedAnswers {
    /// Whether all answers of the step agree.
    pub same: bool,
    /// Answers of the step.
    pub decisions: usize,
    /// Answers of the step that agree.
    pub agreed: usize,
    /// The answers of earlier steps.
    pub earlier: EarlierAnswers,
    /// Faults of the asked bots, by player and kind.
    pub faults: Vec<FaultTally>,
    /// The recorded faults of the player in the step.
    pub recorded_faults: Vec<Fault>,
}

/// The answers of the asked bot in earlier steps.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EarlierAnswers {
    /// Answers.
    pub decisions: u64,
    /// Answers that agree with the recorded ones.
    pub agreed: u64,
    /// The first answer that differs; `null` if all agree.
    pub first_difference: Option<FirstDifference>,
}

/// The first answer that differs from the recorded one.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FirstDifference {
    /// The unit that the answer is for.
    pub unit: u32,
    /// The recorded answer, in the game's own form.
    pub recorded: Value,
    /// The answer of the asked bot, in the same form.
    pub now: Value,
    /// The step of the match, from 0.
    pub step: u64,
}

/// How the recorded match ended.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RecordedEnd<'a> {
    /// The recorded bots, in order of player number.
    pub players: &'a [BotInfo],
    /// The recorded result; `null` if the recording ends early.
    pub result: Option<&'a Ending>,
}
