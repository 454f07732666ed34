//! Opens bots: turns a [`BotSpec`] into a bot that plays.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use agon_games::{BuiltinBots, Presets, batch::Batch, jsonl::JsonGame};

use crate::{
    Bot, BotKind, BotSpec, Clock, ClojureFile, Language, OpenError, Snapshot, Timing,
    builtin::BuiltinBot,
    clojure::Jvms,
    jsonl, native,
    program::{Program, existing_file},
    sandbox::SandboxOptions,
    spec::What,
    wasm,
};

/// Options of the hosts that run bots.
#[derive(Clone, Debug, Default)]
pub struct HostOptions {
    /// Time limits.
    pub timing: Timing,
    /// Whether a tick of a game in real time (rezzo) lasts its full time, for people who watch.
    ///
    /// Otherwise a tick ends as soon as all bots have answered.
    pub steady: bool,
    /// The folder that programs start in; `None` for the arena's current folder.
    pub folder: Option<PathBuf>,
    /// How the programs of bots are confined.
    pub sandbox: SandboxOptions,
    /// Files and folders of the arena that do not belong to a bot even if they lie in its folder.
    pub foreign: Vec<PathBuf>,
    /// Whether programs see the folder that they start in ([`HostedGame::SEES_FOLDER`]).
    ///
    /// [`BotSpec::read`] then looks there as well.
    pub sees_folder: bool,
    /// The snapshots of the bots that programs are started for; [`open`] sets it.
    pub snapshots: Vec<Arc<Snapshot>>,
    /// The folder for compiled bots; `None` for `$XDG_CACHE_HOME/agon` or `~/.cache/agon`.
    pub cache: Option<PathBuf>,
    /// The program that loads native libraries.
    pub native_host: HostExecutable,
    /// The program that runs WebAssembly; `None` for the one that is installed beside the arena.
    pub wasm_host: Option<HostExecutable>,
    /// The most memory of a WebAssembly bot in MiB; `None` for [`WASM_MEMORY`](crate::WASM_MEMORY).
    pub wasm_memory: Option<u32>,
    /// Whether C sources are compiled to WebAssembly instead of native libraries.
    pub c_as_wasm: bool,
    /// The JVMs of a match; clones of the options share them.
    pub jvms: Jvms,
    /// Whether all species in Clojure share one JVM, where they can reach each other.
    pub share_jvm: bool,
    /// Announces slow work to a person, such as a first compilation. `None` announces nothing.
    pub announce: Option<fn(&str)>,
    /// Whether programs at an address have limits in wall time by default.
    ///
    /// Otherwise they have none, because they may be waiting in a debugger.
    pub time_peers: bool,
    /// Whether bots are examined.
    ///
    /// Hosts then also run slow checks, such as the search for processes that a runner leaves
    /// behind each turn.
    pub examine: bool,
}

impl HostOptions {
    pub(crate) fn announce(&self, line: &str) {
        self.announce.into_iter().for_each(|announce| announce(line));
    }
}

/// A program that runs bots for the arena.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostExecutable {
    /// The executable.
    pub path: PathBuf,
    /// Its first arguments; the arena adds its own after these.
    pub args: Vec<OsString>,
}

impl HostExecutable {
    /// The hidden subcommand of `agon` that loads native libraries.
    ///
    /// It calls [`crate::native::child_main`].
    pub const SUBCOMMAND: &str = "__native-host";
}

impl Default for HostExecutable {
    /// Returns this program itself with the argument [`HostExecutable::SUBCOMMAND`].
    ///
    /// The path is right even if the executable has been replaced since its start.
    fn default() -> HostExecutable {
        HostExecutable {
            path: "/proc/self/exe".into(),
            args: vec![HostExecutable::SUBCOMMAND.into()],
        }
    }
}

/// Opens a program for a game.
pub type OpenProgramFn<G> = fn(Program, &HostOptions) -> Result<Box<dyn Bot<G>>, OpenError>;

/// Opens a Clojure file for a game.
pub type OpenClojureFn<G> = fn(&ClojureFile, &HostOptions) -> Result<Box<dyn Bot<G>>, OpenError>;

/// Time limits for a bot's answers to one batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchLimits {
    /// Time for a batch.
    pub clock: Clock,
    /// Extra time for each decision of it.
    pub each: Duration,
}

/// A game with hosts for its bots.
///
/// Built-in bots, native libraries, WebAssembly and programs that speak the JSON Lines protocol
/// play in every game.
pub trait HostedGame: BuiltinBots + Batch + JsonGame + Presets {
    /// Time for answers.
    const PACE: BatchLimits;

    /// The number of silent turns in a row that stops a program, in games that do not wait.
    ///
    /// `None` for games that stop a program after [`TIMEOUTS`](crate::jsonl::TIMEOUTS) late answers
    /// in a row.
    const SILENT_TURNS: Option<u32> = None;

    /// The host of programs that speak the game's own protocol.
    const PROGRAM: Option<OpenProgramFn<Self>> = None;

    /// Whether programs that speak the game's own protocol see the folder that they start in.
    const SEES_FOLDER: bool = false;

    /// Name and text of the header of the game's own C functions.
    ///
    /// Sources need not include it.
    const C_HEADER: Option<(&'static str, &'static str)> = None;

    /// C source that turns the game's own C functions into a bot for whole batches.
    ///
    /// It is for WebAssembly and defines weak symbols only.
    const C_SHIM: Option<&'static str> = None;

    /// The host of Clojure files.
    const CLOJURE: Option<OpenClojureFn<Self>> = None;
}

/// Returns the kinds of bots that a game takes.
pub fn kinds<G: HostedGame>() -> Vec<BotKind> {
    let own = |kind: &BotKind| match kind {
        BotKind::Program => G::PROGRAM.is_some(),
        BotKind::Clojure => G::CLOJURE.is_some(),
        _ => true,
    };
    BotKind::ALL.into_iter().filter(own).collect()
}

/// Opens a bot: finds its files, compiles them if they are source code, and loads them.
///
/// Programs are started later, by [`Bot::start`]. People are not opened here: see
/// the type [`HumanBot`](crate::HumanBot).
///
/// # Errors
/// If it is a person, if there is no such bot, if it does not compile or load, or if the game takes
/// no bots of its kind.
pub fn open<G: HostedGame>(
    spec: &BotSpec,
    options: &HostOptions,
) -> Result<Box<dyn Bot<G>>, OpenError> {
    let builtins: Vec<_> = G::BUILTINS.iter().map(|builtin| builtin.name).collect();
    let wrong_kind =
        || OpenError::Kind { spec: spec.to_string(), game: G::META.id, takes: kinds::<G>() };
    let snapshot = spec.snapshot();
    let snapshots = snapshot.into_iter().cloned().collect();
    let options = &HostOptions { snapshots, ..options.clone() };
    // A bot that has been read plays from its copy, even if its files have changed or are gone.
    let file = |path: &Path| match snapshot {
        Some(_) => Ok(path.to_owned()),
        None => existing_file(&path.to_string_lossy(), &builtins),
    };
    let find = |text: &str, words: &[String]| match snapshot.and_then(|snapshot| snapshot.program())
    {
        Some(program) => Ok(program.clone()),
        None => Program::find(text, words, &builtins),
    };
    match spec.what() {
        What::Builtin { name, params } => {
            Ok(Box::new(BuiltinBot::find(G::BUILTINS, name, params)?))
        }
        What::C(path) if !options.c_as_wasm => {
            let source = file(path)?;
            let library = native::build::<G>(&source, options)?;
            let opened = native::open::<G>(&library, &source, options);
            Ok(Box::new(opened.map_err(|error| error.of_source(path))?))
        }
        What::C(path) | What::Wasm(path) if Language::of(path).is_some() => {
            let module = wasm::build::<G>(&file(path)?, options)?;
            Ok(Box::new(wasm::open::<G>(&module, options).map_err(|error| error.of_source(path))?))
        }
        What::Library(path) => {
            let library = file(path)?;
            Ok(Box::new(native::open::<G>(&library, &library, options)?))
        }
        What::C(path) | What::Wasm(path) => Ok(Box::new(wasm::open::<G>(&file(path)?, options)?)),
        What::Clojure(clojure) => {
            let path = file(&clojure.path)?;
            G::CLOJURE.ok_or_else(wrong_kind)?(&ClojureFile { path, ..clojure.clone() }, options)
        }
        What::Json { text, words } => jsonl::open(find(text, words)?, options),
        What::Connect(address) => jsonl::connect(address, options),
        What::Human => Err(OpenError::Person { spec: spec.to_string() }),
        What::Program { text, words } => match (G::PROGRAM, find(text, words)) {
            (Some(host), program) => host(program?, options),
            (None, Err(error @ (OpenError::Missing { .. } | OpenError::NoProgram { .. }))) => {
                Err(error)
            }
            (None, _) => Err(wrong_kind()),
        },
    }
}
