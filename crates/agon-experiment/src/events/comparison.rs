//! Events of a comparison. `agon compare` prints them while it plays.

use std::borrow::Cow;

use crate::compare::{BotFaults, Design, FaultCase, Question, Report, Tally, Verdict};
use agon_core::{BotInfo, FaultKind, Seed};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

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
    pub faults: Vec<FaultyBot<'a>>,
    /// The folder of the replays; `null` if none are kept.
    pub replays: Option<Cow<'a, str>>,
    /// The folder of the results; `null` if they are not kept.
    pub out: Option<Cow<'a, str>>,
    /// Whether species in Clojure shared a JVM, in which they can reach each other.
    pub shared_jvm: bool,
}

/// The faults of one bot.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FaultyBot<'a> {
    /// The bot's name.
    pub name: &'a str,
    /// Matches that it played.
    pub matches: u64,
    /// Matches in which it committed a fault.
    pub faulty: u64,
    /// The faults by kind.
    pub kinds: Vec<FaultCount>,
    /// The first fault.
    pub first: Option<&'a FaultCase>,
}

/// The number of faults of one kind.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FaultCount {
    /// The kind.
    pub kind: FaultKind,
    /// Matches with such a fault.
    pub matches: u64,
    /// Such faults in all matches.
    pub count: u64,
}

impl<'a> From<&'a BotFaults> for FaultyBot<'a> {
    fn from(bot: &'a BotFaults) -> FaultyBot<'a> {
        let kinds = bot.kinds.iter();
        FaultyBot {
            name: &bot.name,
            matches: bot.matches,
            faulty: bot.faulty,
            kinds: kinds
                .map(|(&kind, &(matches, count))| FaultCount { kind, matches, count })
                .collect(),
            first: bot.first.as_ref(),
        }
    }
}
