//! The lines that `agon --json` prints, as types with a JSON schema.
//!
//! A line is an [`Event`]: `{"type": KIND, "data": ...}`. `agon` fills in the types of `data`, and
//! prints them.
//!
//! The fields are written in the order in which they are declared. An `Option` is written as
//! `null`, unless its description says that the key is absent.
//!
//! `cargo xtask generate` writes the schema, `docs/schemas/events.schema.json`.
//!
//! ```
//! use agon_contest::events::{Event, ReplayVerdict};
//!
//! let verdict = ReplayVerdict { proven: true, text: "all steps agree".to_owned() };
//! let line = serde_json::to_string(&Event::from(verdict))?;
//! let text = r#"{"type":"verdict","data":{"proven":true,"text":"all steps agree"}}"#;
//! assert_eq!(line, text);
//! # Ok::<(), serde_json::Error>(())
//! ```

mod machine;
mod play;

pub use machine::*;
pub use play::*;

use agon_core::Fault;
use agon_match::spec::MatchResult;
use schemars::{JsonSchema, Schema, generate::SchemaSettings, transform::RecursiveTransform};
use serde::Serialize;
use serde_json::Value;

/// A line of JSON that a command of Agon prints with `--json`.
///
/// `type` names the kind of event. The kind and the command determine the form of `data`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "type", content = "data", rename_all = "snake_case")]
pub enum Event<'a> {
    /// `agon play`: a match starts.
    Match(MatchStart<'a>),
    /// `agon play`, `agon replay ask`: a bot committed a fault.
    Fault(&'a Fault),
    /// `agon play`: the match so far is void and starts again. Ignore the faults printed so far.
    Void(VoidMatch),
    /// `agon play`, `agon replay ask --against`: a match is over.
    Result(&'a MatchResult),
    /// `agon play`, `agon replay export`: a film is complete.
    Film(FilmFile<'a>),
    /// `agon replay info`: the contents of a replay.
    Replay(ReplayFacts<'a>),
    /// `agon replay ask`: which bot is asked, and where.
    Ask(AskedBot<'a>),
    /// `agon replay ask`: an answer of the asked bot beside the recorded one.
    Decision(AskedAnswer),
    /// `agon replay ask`: how many answers agree.
    Answers(AskedAnswers),
    /// `agon replay ask --against`: how the recorded match ended.
    Recorded(RecordedEnd<'a>),
    /// `agon compare`: a comparison starts.
    Comparison(Box<ComparisonStart<'a>>),
    /// `agon compare`: the matches of a seed count.
    Progress(Box<CountedSeed<'a>>),
    /// `agon tune`: a tuning is over.
    Tuning(TunedBot<'a>),
    /// `agon check`: which bot was examined, and how.
    Check(CheckedBot<'a>),
    /// `agon check`: the result of one examination.
    Examination(ExaminationResult<'a>),
    /// `agon doctor`: which Agon this is.
    Program(ProgramFacts<'a>),
    /// `agon doctor`: a program of Agon's beside `agon`.
    Part(PartFacts<'a>),
    /// `agon doctor`: whether bots can be confined.
    Sandbox(SandboxState<'a>),
    /// `agon doctor`: one mechanism of the sandbox.
    Mechanism(MechanismState<'a>),
    /// `agon doctor`: whether bots can be written in a language.
    Language(LanguageTools<'a>),
    /// `agon doctor`: what the machine has.
    Machine(MachineFacts<'a>),
    /// `agon games`: a game.
    Game(GameFacts<'a>),
    /// `agon bots`, `agon replay info --bot`: a bot.
    Bot(BotData<'a>),
    /// `agon new --list`: a starter kit.
    Kit(KitFacts<'a>),
    /// `agon new`: a folder with a new bot.
    New(NewBot<'a>),
    /// The end of `agon compare`, `agon replay verify`, `agon check` and `agon doctor`.
    Verdict(VerdictData<'a>),
}

/// The data of a `bot`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum BotData<'a> {
    /// `agon bots`.
    Builtin(BuiltinBot<'a>),
    /// `agon replay info --bot`.
    Recorded(RecordedBot<'a>),
}

/// The data of a `verdict`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum VerdictData<'a> {
    /// `agon compare`.
    Comparison(Box<ComparisonVerdict<'a>>),
    /// `agon replay verify`.
    Replay(ReplayVerdict),
    /// `agon check`.
    Check(CheckVerdict),
    /// `agon doctor`.
    Doctor(DoctorVerdict<'a>),
}

impl<'a> From<BuiltinBot<'a>> for Event<'a> {
    fn from(bot: BuiltinBot<'a>) -> Event<'a> {
        Event::Bot(BotData::Builtin(bot))
    }
}

impl<'a> From<RecordedBot<'a>> for Event<'a> {
    fn from(bot: RecordedBot<'a>) -> Event<'a> {
        Event::Bot(BotData::Recorded(bot))
    }
}

impl<'a> From<ComparisonVerdict<'a>> for Event<'a> {
    fn from(verdict: ComparisonVerdict<'a>) -> Event<'a> {
        Event::Verdict(VerdictData::Comparison(Box::new(verdict)))
    }
}

impl From<ReplayVerdict> for Event<'_> {
    fn from(verdict: ReplayVerdict) -> Self {
        Event::Verdict(VerdictData::Replay(verdict))
    }
}

impl From<CheckVerdict> for Event<'_> {
    fn from(verdict: CheckVerdict) -> Self {
        Event::Verdict(VerdictData::Check(verdict))
    }
}

impl<'a> From<DoctorVerdict<'a>> for Event<'a> {
    fn from(verdict: DoctorVerdict<'a>) -> Event<'a> {
        Event::Verdict(VerdictData::Doctor(verdict))
    }
}

/// Returns the JSON schema of events as they are printed.
///
/// It requires each key that is always printed, also those that may be `null`.
pub fn schema() -> Schema {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let settings = settings.with_transform(RecursiveTransform(describe_json));
    settings.into_generator().into_root_schema_for::<Event<'static>>()
}

/// Replaces the words of Rust in a description: links between types, and `None`.
fn describe_json(schema: &mut Schema) {
    if let Some(Value::String(text)) = schema.get_mut("description") {
        *text = text.replace("[`", "`").replace("`]", "`").replace("`None`", "`null`");
    }
}
