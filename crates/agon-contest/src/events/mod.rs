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
//! use agon_contest::events::{Event, ReplayVerdict, VerdictData};
//!
//! let verdict = ReplayVerdict { proven: true, text: "all steps agree".to_owned() };
//! let line = serde_json::to_string(&Event::Verdict(VerdictData::Replay(verdict)))?;
//! let text = r#"{"type":"verdict","data":{"proven":true,"text":"all steps agree"}}"#;
//! assert_eq!(line, text);
//! # Ok::<(), serde_json::Error>(())
//! ```

mod play;

use std::borrow::Cow;

use agon_core::Fault;
use agon_match::spec::MatchResult;
use agon_sandbox::Mechanism;
use schemars::{JsonSchema, Schema, generate::SchemaSettings, transform::RecursiveTransform};
use serde::Serialize;
use serde_json::Value;

pub use play::*;

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
    /// `agon check`, `agon game check`: the result of one examination.
    Examination(ExaminationResult<'a>),
    /// `agon doctor`: which Agon this is.
    Program(ProgramFacts<'a>),
    /// `agon doctor`: a program of Agon's beside `agon`.
    Part(PartFacts),
    /// `agon doctor`: whether bots can be confined.
    Sandbox(SandboxState<'a>),
    /// `agon doctor`: one mechanism of the sandbox.
    Mechanism(MechanismState<'a>),
    /// `agon doctor`: whether bots can be written in a language.
    Language(LanguageTools),
    /// `agon doctor`: what the machine has.
    Machine(MachineFacts<'a>),
    /// `agon games`, `agon game check`: a game.
    Game(GameFacts<'a>),
    /// `agon bots`, `agon replay info --bot`: a bot.
    Bot(BotData<'a>),
    /// `agon new --list`: a starter kit.
    Kit(KitFacts<'a>),
    /// `agon new`: a folder with a new bot.
    New(NewBot<'a>),
    /// The end of `agon compare`, `agon replay verify`, `agon check`, `agon game check` and
    /// `agon doctor`.
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
    /// `agon check`, `agon game check`.
    Check(CheckVerdict),
    /// `agon doctor`.
    Doctor(DoctorVerdict<'a>),
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

/// A game.
#[derive(Debug, Serialize, JsonSchema)]
pub struct GameFacts<'a> {
    /// Its name on the command line.
    pub id: &'a str,
    /// The version of its rules.
    pub rules_version: u32,
    /// How many players a match can have.
    pub players: PlayerRange,
    /// The game's word for a unit of its length: `turn`, `round`, `tick`.
    pub turn: &'a str,
    /// The game in one sentence.
    pub summary: &'a str,
}

/// How many players a match can have.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PlayerRange {
    /// The smallest number.
    pub min: usize,
    /// The largest number.
    pub max: usize,
}

/// A built-in bot.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BuiltinBot<'a> {
    /// The game's id.
    pub game: &'a str,
    /// The bot's name.
    pub name: &'a str,
    /// The bot on the command line: `builtin:NAME`.
    pub spec: String,
    /// The bot's version, which changes with its answers.
    pub version: u32,
    /// How it plays, in one sentence.
    pub summary: &'a str,
    /// Its parameters.
    pub params: Vec<BuiltinParam<'a>>,
}

/// A parameter of a built-in bot.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BuiltinParam<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its default value.
    pub default: &'a str,
    /// Its effect, with unit and range.
    pub summary: &'a str,
}

/// A starter kit.
#[derive(Debug, Serialize, JsonSchema)]
pub struct KitFacts<'a> {
    /// Its name on the command line.
    pub id: &'a str,
    /// The language as people write it.
    pub language: &'a str,
    /// Other names that `agon new` accepts.
    pub aliases: &'a [String],
    /// Required programs. One of several with `|` between them is enough.
    pub needs: &'a [String],
    /// The required programs that this machine lacks.
    pub missing: Vec<&'a str>,
    /// The Debian packages that have the required programs.
    pub debian: &'a [String],
    /// How to get what no Debian package has.
    pub install: Option<&'a str>,
    /// The shell command that builds a bot.
    pub build: Option<&'a str>,
    /// The bot's argument for `agon play`.
    pub bot: &'a str,
    /// The shell command that tests the kit's protocol code.
    pub test: Option<&'a str>,
}

/// A folder with a new bot.
#[derive(Debug, Serialize, JsonSchema)]
pub struct NewBot<'a> {
    /// The game's id.
    pub game: &'a str,
    /// The id of the starter kit.
    pub language: &'a str,
    /// The folder.
    pub folder: Cow<'a, str>,
    /// The files, relative to the folder.
    pub files: Vec<&'a str>,
    /// The shell command that builds the bot, to be run in the folder.
    pub build: Option<&'a str>,
    /// The bot's argument for `agon play`, from within the folder.
    pub bot: &'a str,
    /// The shell command that tests the bot's protocol code, to be run in the folder.
    pub test: Option<&'a str>,
    /// The command that plays a match of the bot, to be run in the folder.
    pub play: &'a str,
    /// The required programs that this machine lacks.
    pub missing: Vec<&'a str>,
}

/// Which Agon this is.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ProgramFacts<'a> {
    /// The release.
    pub version: &'a str,
    /// The commit that it was built from, and its date; `null` if unknown.
    pub commit: Option<&'a str>,
    /// Whether it comes from a package.
    pub packaged: bool,
}

/// A program that belongs to Agon beside `agon` itself.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PartFacts {
    /// Its name.
    pub name: &'static str,
    /// What needs it, in the plural.
    pub needed_for: &'static str,
    /// Where it is.
    pub place: PartPlace,
    /// Its file; `null` unless it is found.
    pub path: Option<String>,
    /// How to get it; `null` unless it is missing.
    pub remedy: Option<String>,
}

/// Where a program of Agon's is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PartPlace {
    /// `agon` itself does its work.
    Within,
    /// In a file.
    Found,
    /// Nowhere yet: it is built from the sources when it is first needed.
    OnDemand,
    /// Nowhere.
    Missing,
}

/// Whether bots can be confined.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SandboxState<'a> {
    /// The version of the kernel.
    pub kernel: &'a str,
    /// Whether bots play with `--sandbox default`.
    pub default: bool,
    /// Whether bots play with `--sandbox strict`.
    pub strict: bool,
    /// The user that bots run as; `null` if it is not known.
    pub identity: Option<&'a str>,
    /// Why no bot can be confined; `null` if bots can be.
    pub problem: Option<&'a str>,
}

/// A mechanism of the sandbox.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MechanismState<'a> {
    /// The mechanism.
    #[serde(with = "MechanismName")]
    pub mechanism: Mechanism,
    /// Whether it works.
    pub active: bool,
    /// How it works, in a few words; `null` if it does not.
    pub words: Option<&'a str>,
    /// Why it does not work, and the remedy; `null` if it works.
    pub problem: Option<&'a str>,
}

/// A mechanism of the kernel that confines bots.
#[derive(Serialize, JsonSchema)]
#[serde(remote = "Mechanism", rename_all = "snake_case")]
#[schemars(rename = "Mechanism")]
enum MechanismName {
    /// Bots see only the files that they need.
    Mounts,
    /// Bots see only their own processes.
    Processes,
    /// Bots have no network.
    Network,
    /// Landlock checks the access to files again.
    Landlock,
    /// System calls are filtered.
    Seccomp,
    /// Bots run as another user, or without the privileges of this one.
    Identity,
    /// Memory, open files and file sizes are limited.
    Limits,
    /// The kernel limits the number of processes.
    ProcessLimit,
}

/// A language, and what bots in it need.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LanguageTools {
    /// Its name for `agon new`; species in Clojure are `species`.
    pub id: &'static str,
    /// The language as people write it.
    pub language: String,
    /// Whether bots in it can be built and played.
    pub ready: bool,
    /// Required programs.
    pub programs: Vec<ToolState>,
    /// Libraries that some bots need.
    pub libraries: Vec<ToolState>,
}

/// A program or library.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ToolState {
    /// Its name.
    pub name: String,
    /// Its file; `null` if it cannot be used.
    pub path: Option<String>,
    /// Its version; `null` if it reports none or cannot be used.
    pub version: Option<String>,
    /// Why it cannot be used; `null` if it can.
    pub problem: Option<String>,
    /// How to get it; `null` if it can be used.
    pub remedy: Option<String>,
}

/// What the machine has.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MachineFacts<'a> {
    /// The number of processor cores that Agon may use; `null` if unknown.
    pub cores: Option<usize>,
    /// The mean number of processes that were ready to run in the last minute; `null` if unknown.
    pub load: Option<f64>,
    /// Memory in bytes; `null` if unknown.
    pub memory: Option<u64>,
    /// Memory that programs can still get, in bytes; `null` if unknown.
    pub available: Option<u64>,
    /// The folder for compiled bots.
    pub cache: CacheFacts<'a>,
}

/// The folder for compiled bots, which may not exist yet.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CacheFacts<'a> {
    /// Its path.
    pub path: Cow<'a, str>,
    /// The size of its files in bytes.
    pub bytes: u64,
    /// The free space in bytes.
    pub free: u64,
    /// Why Agon cannot write there; `null` if it can.
    pub problem: Option<&'a str>,
}

/// The verdict on the machine.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DoctorVerdict<'a> {
    /// Whether the sandbox lacks nothing.
    pub complete: bool,
    /// Whether the sandbox is complete, bots can be compiled, and some language is ready.
    pub fine: bool,
    /// The verdict for people.
    pub text: &'a str,
}
