//! Options of the hosts that run bots, such as time limits and the sandbox. Flags of `agon` set
//! them.

use std::{
    collections::BTreeMap, ffi::OsString, path::PathBuf, process::ExitCode, sync::Arc,
    sync::atomic::AtomicBool, time::Duration,
};

use agon_games::{GameId, any::GameKind};

use crate::{
    Clock, Launcher, Snapshot, Timing, clojure::Jvms, game_file, native, sandbox::SandboxOptions,
};

/// The hidden command with which a program of Agon becomes the process that starts programs.
const LAUNCHER: &str = "__launcher";

/// Does what each program of Agon begins with: what Agon's programs start themselves for, in
/// commands that nobody types; and it registers `games` from outside.
///
/// # Errors
/// With the status with which the program ends.
pub fn begin(words: &[OsString], games: &[&'static dyn GameKind]) -> Result<(), ExitCode> {
    match words.get(1).and_then(|word| word.to_str()) {
        Some(LAUNCHER) => return Err(agon_sandbox::zygote_main()),
        Some(native::SUBCOMMAND) => return Err(native::child_main(words[2..].iter().cloned())),
        _ => {}
    }
    game_file::install();
    let registered = games.iter().try_for_each(|&game| GameId::register(game).map(drop));
    registered.map_err(|error| {
        eprintln!("error: {error}");
        ExitCode::from(2)
    })
}

/// Returns this program, which calls [`begin`], as the process that starts programs.
pub fn own_launcher() -> Launcher {
    Launcher { path: "/proc/self/exe".into(), args: vec![LAUNCHER.into()] }
}

/// Options of the hosts that run bots.
#[derive(Clone, Debug, Default)]
pub struct HostOptions {
    /// Time limits.
    pub timing: Timing,
    /// The least limit of a program's first answer, because it has to start; `None` for
    /// [`START_UP`](crate::jsonl::START_UP) with JSON Lines and nothing otherwise.
    pub start_up: Option<Duration>,
    /// The bots with other `timing` and `start_up`, by their names.
    pub bot_times: Arc<BTreeMap<String, (Timing, Option<Duration>)>>,
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
    /// Whether programs see the folder that they start in
    /// ([`Hosting::sees_folder`](crate::Hosting::sees_folder)).
    ///
    /// [`BotSpec::read`](crate::BotSpec::read) then looks there as well.
    pub sees_folder: bool,
    /// The game that is played, if it is known when bots are read: folders with bots of other games
    /// are then refused before they are built.
    pub game: Option<GameId>,
    /// The core of the match. Native, WebAssembly and Clojure bots need it, because they start
    /// before the match is pinned. Builds use all cores.
    pub core: Option<usize>,
    /// The snapshots of the bots that programs are started for; [`open`](crate::open()) sets it.
    pub snapshots: Vec<Arc<Snapshot>>,
    /// The folder for compiled bots; `None` for `$XDG_CACHE_HOME/agon` or `~/.cache/agon`.
    pub cache: Option<PathBuf>,
    /// The program that loads native libraries, such as that of
    /// [`find_host`](crate::native::find_host); without one C sources become WebAssembly.
    pub native_host: Option<Launcher>,
    /// The program that runs WebAssembly; `None` for the one that is installed beside the arena.
    pub wasm_host: Option<Launcher>,
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
    /// Whether all bots have been loaded before.
    ///
    /// A library or module that ends itself while it is loaded is then tried again in the match.
    /// There a failure is a fault of the bot, and not an error that ends a whole tournament.
    pub loaded_before: bool,
    /// Whether bots are examined.
    ///
    /// Hosts then also run slow checks, such as the search for processes that a runner leaves
    /// behind each turn.
    pub examine: bool,
    /// Ends builds and compilations once it is set, and matches even while they wait for bots.
    pub stop: Option<Arc<AtomicBool>>,
}

impl HostOptions {
    /// Returns the options of a program that calls [`begin`].
    pub fn own() -> HostOptions {
        let sandbox = SandboxOptions { launcher: Some(own_launcher()), ..Default::default() };
        HostOptions { sandbox, native_host: native::find_host(), ..HostOptions::default() }
    }

    /// Returns the options for the bot with this name, if they differ.
    pub fn of_bot(&self, name: &str) -> Option<HostOptions> {
        let &(timing, start_up) = self.bot_times.get(name)?;
        Some(HostOptions { timing, start_up, ..self.clone() })
    }

    /// Returns the clock of a program that the arena starts, in a protocol whose own is `default`.
    pub(crate) fn clock(&self, default: Clock) -> Option<Clock> {
        let clock = self.timing.or(default)?;
        let first = clock.first.max(self.start_up.unwrap_or_default());
        Some(Clock { first, ..clock })
    }

    pub(crate) fn announce(&self, line: &str) {
        self.announce.into_iter().for_each(|announce| announce(line));
    }
}
