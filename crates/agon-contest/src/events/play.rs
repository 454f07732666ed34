//! Events of matches: `agon play`, `replay`, `compare`, `tune` and `check` print them.

use std::borrow::Cow;

use agon_core::{BotInfo, Evidence, Fault, Player, PlayerStanding, Seed};
use agon_match::replay::{BotRecord, Ending, FaultTally, Void};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, value::RawValue};

use crate::check::{Case, Status};
use crate::compare::{BotFaults, Design, Question, Report, Tally, Verdict};

/// The start of a match.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MatchStart<'a> {
    /// The game's id.
    pub game: &'a str,
    /// The version of the game's rules.
    pub rules_version: u32,
    /// The preset that the settings started from. The key is absent if none was used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<&'a str>,
    /// The settings of the match; `agon rules GAME --json` prints their schema.
    #[schemars(with = "Map<String, Value>")]
    pub rules: Value,
    /// The seed of the match.
    pub seed: Seed,
    /// The names of the players, in order of player number.
    pub players: &'a [String],
}

/// An attempt at a match that the machine disturbed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct VoidMatch {
    /// The number of the attempt, from 1.
    pub attempt: u32,
    /// Why the attempt does not count.
    pub void: Option<Void>,
}

/// A complete film.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FilmFile<'a> {
    /// The file, or the folder with pictures.
    pub path: Cow<'a, str>,
    /// The format, such as `GIF`.
    pub format: String,
    /// The number of pictures.
    pub pictures: u64,
    /// The width of a picture in pixels.
    pub width: u32,
    /// The height of a picture in pixels.
    pub height: u32,
    /// The size in bytes; of a folder, that of its pictures together.
    pub bytes: u64,
    /// The duration in seconds; `null` for pictures in a folder.
    pub seconds: Option<f64>,
    /// The encoder: a library, or a program with its version.
    pub encoder: &'a str,
}

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

/// What a comparison asks.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ComparisonStart<'a> {
    /// The game's id.
    pub game: &'a str,
    /// The version of the game's rules.
    pub rules_version: u32,
    /// The settings of the matches; `agon rules GAME --json` prints their schema.
    #[schemars(with = "Map<String, Value>")]
    pub rules: &'a Value,
    /// The seed that the seeds of all matches follow from.
    pub seed: Seed,
    /// Which matches are played on each seed.
    pub design: Design,
    /// The hypotheses, and how surely one is to be rejected.
    pub question: Question,
    /// The new version.
    pub new: &'a BotInfo,
    /// The old version.
    pub old: &'a BotInfo,
    /// The other bots of the matches.
    pub others: Vec<&'a BotInfo>,
    /// The largest number of matches; `null` if there is no limit.
    pub max: Option<u64>,
}

/// A seed whose matches count, and the state of the test after it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CountedSeed<'a> {
    /// The number of the seed, from 0.
    pub number: u64,
    /// The seed.
    pub seed: Seed,
    /// The matches on the seed.
    pub matches: Vec<CountedMatch<'a>>,
    /// The state of the test.
    pub state: Report,
    /// How the matches of the new version ended so far.
    pub tally: Tally,
}

/// A match that counts.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CountedMatch<'a> {
    /// The names of the bots, in order of seats.
    pub seats: Vec<&'a str>,
    /// Their places, in the same order; 1 is the best.
    pub places: &'a [u32],
    /// The length of the match in the game's own turns.
    pub turns: u64,
}

/// The end of a comparison.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ComparisonVerdict<'a> {
    /// How the comparison ended.
    pub verdict: Verdict,
    /// Whether the test came to a decision.
    pub decided: bool,
    /// The verdict for people.
    pub sentence: String,
    /// Seeds that count.
    pub seeds: u64,
    /// Matches that count.
    pub matches: u64,
    /// The state of the test.
    pub state: Report,
    /// The interval of the score; `null` in a comparison by pairs, whose `state` has intervals.
    pub interval: Option<[f64; 2]>,
    /// How the matches of the new version ended.
    pub tally: Tally,
    /// How many matches were void and played again.
    pub void: u64,
    /// How many seeds led to different matches.
    pub different: u64,
    /// A reason to trust the result less; `null` if there is none.
    pub warning: Option<String>,
    /// The bots that committed faults.
    pub faults: Vec<&'a BotFaults>,
    /// The folder of the replays; `null` if none are kept.
    pub replays: Option<Cow<'a, str>>,
    /// The folder of the results; `null` if they are not kept.
    pub out: Option<Cow<'a, str>>,
    /// Whether species in Clojure shared a JVM, in which they can reach each other.
    pub shared_jvm: bool,
}

/// A tuning that is over or was interrupted.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TunedBot<'a> {
    /// The game's id.
    pub game: &'a str,
    /// The seed that the seeds of all matches follow from.
    pub seed: Seed,
    /// The bot with the best values.
    pub bot: String,
    /// The parameters.
    pub params: Vec<TunedParam<'a>>,
    /// Completed matches, with the verification.
    pub matches: u64,
    /// Matches in which the tuned bot committed a fault.
    pub faulty_matches: u64,
    /// Matches that the best values follow from.
    pub tuned_with: u64,
    /// Whether the tuning was interrupted.
    pub interrupted: bool,
    /// How the best values played against the starting ones; `null` before they did.
    pub verdict: Option<TuningVerdict>,
}

/// A parameter. Values are texts, as the bot takes them.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TunedParam<'a> {
    /// Its name.
    pub name: &'a str,
    /// The parameter with its range, as `--param` takes it.
    pub range: String,
    /// The starting value.
    pub start: String,
    /// The best value.
    pub best: String,
    /// The mean value in the last quarter of the tuning.
    pub mean: String,
    /// Always `null`: one run does not show how far other runs would end from this one.
    pub deviation: (),
}

/// How the best values played against the starting ones.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TuningVerdict {
    /// Duels between the two versions.
    pub duels: usize,
    /// Matches in these duels.
    pub matches: u64,
    /// The mean difference in points per match, from -1 to 1; above 0 the best values are better.
    pub difference: f64,
    /// The lower end of its 95 % interval.
    pub low: f64,
    /// The upper end of its 95 % interval.
    pub high: f64,
    /// The difference in Elo points. The key is absent if the versions played against other bots.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elo: Option<EloDifference>,
}

/// A difference in Elo points. An infinite number is written as `null`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EloDifference {
    /// The mean; `null` if one version won all matches.
    #[schemars(with = "Option<f64>")]
    pub mean: f64,
    /// The lower end of its 95 % interval.
    #[schemars(with = "Option<f64>")]
    pub low: f64,
    /// The upper end of its 95 % interval.
    #[schemars(with = "Option<f64>")]
    pub high: f64,
}

/// The bot that was examined, and how.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CheckedBot<'a> {
    /// The game's id.
    pub game: &'a str,
    /// The settings of the matches; `agon rules GAME --json` prints their schema.
    #[schemars(with = "Map<String, Value>")]
    pub rules: &'a Value,
    /// The seed of the first match.
    pub seed: Seed,
    /// The bot's name.
    pub name: &'a str,
    /// The bot as it was typed.
    pub spec: &'a str,
    /// The bot; `null` if it cannot be loaded.
    pub bot: Option<&'a BotInfo>,
}

/// The result of one examination.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ExaminationResult<'a> {
    /// Its number, from 1.
    pub number: u8,
    /// Its name.
    pub name: &'a str,
    /// How it went.
    pub status: Status,
    /// What was found, in a sentence.
    pub found: &'a str,
    /// What to do, in a sentence.
    pub remedy: Option<&'a str>,
    /// The faults that it is about.
    pub faults: &'a [Case],
    /// What the bot wrote and how it ended; `null` if nothing was seen beside the faults.
    pub evidence: Option<&'a Evidence>,
    /// What was measured, as numbers with the unit in their names; each examination has its own
    /// keys. `null` if nothing was measured.
    #[schemars(with = "Option<Map<String, Value>>")]
    pub figures: &'a Value,
}

/// The end of an examination.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CheckVerdict {
    /// Whether no examination failed.
    pub passed: bool,
    /// The numbers of the failed examinations.
    pub failed: Vec<u8>,
    /// The numbers of the examinations with a warning.
    pub warnings: Vec<u8>,
}
