//! Events about this machine. `agon doctor` prints them.

use std::borrow::Cow;

use agon_sandbox::Mechanism;
use schemars::JsonSchema;
use serde::Serialize;

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
pub struct PartFacts<'a> {
    /// Its name.
    pub name: &'a str,
    /// What needs it, in the plural.
    pub needed_for: &'a str,
    /// Where it is.
    pub place: PartPlace,
    /// Its file; `null` unless it is found.
    pub path: Option<Cow<'a, str>>,
    /// How to get it; `null` unless it is missing.
    pub remedy: Option<&'a str>,
}

/// Where a program of Agon's is.
#[derive(Debug, Serialize, JsonSchema)]
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
pub struct LanguageTools<'a> {
    /// Its name for `agon new`; species in Clojure are `species`.
    pub id: &'a str,
    /// The language as people write it.
    pub language: &'a str,
    /// Whether bots in it can be built and played.
    pub ready: bool,
    /// Required programs.
    pub programs: Vec<ToolState<'a>>,
    /// Libraries that some bots need.
    pub libraries: Vec<ToolState<'a>>,
}

/// A program or library.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ToolState<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its file; `null` if it cannot be used.
    pub path: Option<Cow<'a, str>>,
    /// Its version; `null` if it reports none or cannot be used.
    pub version: Option<&'a str>,
    /// Why it cannot be used; `null` if it can.
    pub problem: Option<&'a str>,
    /// How to get it; `null` if it can be used.
    pub remedy: Option<&'a str>,
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
