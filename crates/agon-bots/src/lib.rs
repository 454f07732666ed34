//! Asks bots for answers.
//!
//! A [`BotSpec`] is the text that names a bot. [`open()`] makes a [`Bot`] from it, and the referee
//! asks the [`Bot`] for answers. Each kind of bot has a host, a module each:
//!
//! | module | runs |
//! | --- | --- |
//! | `builtin` | bots that come with a game |
//! | [`native`] | C functions, in a child process with shared memory |
//! | `wasm` | WebAssembly modules, in the same way; [`batch`] has the common parts |
//! | [`clojure`] | species of amoebas in Clojure, each in a JVM of its own |
//! | [`jsonl`] | programs that speak the JSON Lines protocol, started by the arena or running already |
//! | `cluster`, `rezzo`, `binfection` | programs that speak the game's own protocol |
//! | `battlesnake`, on [`http`] | web servers that speak the game's own protocol |
//! | `human` | people, who answer prompts in the viewer |
//!
//! [`hosting`](hosting()) tells which of them a game has besides the usual ones, and its time
//! limits. Before a host starts: `spec` reads the text, `snapshot` copies and digests files,
//! `folder_bot` reads manifests, `compile` builds C and C++, `sandbox` confines.
//!
//! ```
//! use agon_bots::{HostOptions, open, unique_names};
//! use agon_games::GameId;
//!
//! let specs = ["builtin:random", "alice=builtin:random"];
//! let specs = specs.map(|text| text.parse().expect("names a bot"));
//! let cluster = GameId::Cluster.kind();
//! let bots = specs.each_ref().map(|spec| open(cluster, spec, &HostOptions::default()));
//! assert!(bots.iter().all(Result::is_ok));
//! let names = specs.map(|spec: agon_bots::BotSpec| spec.name());
//! assert_eq!(unique_names(names), ["random", "alice"]);
//!
//! let misspelt = "randem".parse().expect("names a bot");
//! let error = open(cluster, &misspelt, &HostOptions::default()).err();
//! let message = error.expect("there is no such file").to_string();
//! assert_eq!(message, "there is no file `randem`; did you mean `builtin:random`?");
//! ```
//!
//! A bot never makes the arena fail: its errors are [`Fault`](agon_core::Fault)s with evidence, and
//! the answers concerned stay default. If the arena itself lacks something, the bot notes a
//! [`Shortage`] in its [`TurnLog`], and the match ends. `process` is the base of all hosts with
//! child processes, [`clock`] has their time limits, and [`tools`] finds compilers and runtimes on
//! this machine. [`Bot::unsolicited_output`] and [`Bot::shutdown`] serve `agon check` only.
//!
//! `unsafe` code is confined to a few lines each in `process::spawn` (a signal), [`clock`] (CPU
//! clocks), [`native`] (foreign functions) and [`batch`] (shared memory).

mod amoebas;
pub mod batch;
mod battlesnake;
mod binfection;
mod builtin;
mod cache;
mod cellhack;
pub mod clock;
pub mod clojure;
mod cluster;
mod compile;
mod error;
mod folder_bot;
pub mod game_file;
mod game_program;
mod hints;
mod host_options;
mod hosting;
pub mod http;
mod human;
mod info;
pub mod jsonl;
pub mod native;
mod open;
mod open_beneath;
mod portable;
mod process;
mod program;
mod rezzo;
pub mod sandbox;
mod shortage;
mod silence;
mod snapshot;
mod spec;
pub mod tools;
mod wasm;

pub use agon_match::bot::{
    BatchLimits, BatchPart, Bot, Progress, Seat, Shortage, TurnLog, Wait, turn_log, wait,
};
pub use agon_sandbox::Launcher;
pub use builtin::BuiltinBot;
pub use clock::{Clock, Timing};
pub use compile::build_in;
pub use error::OpenError;
pub use folder_bot::{FolderError, FolderFile, folder_game, is_left_behind, read_folder};
pub use hints::PRINT_TO_STDERR;
pub use host_options::{HostOptions, begin, own_launcher};
pub use hosting::{Hosting, OpenClojureFn, OpenHttpFn, OpenProgramFn, hosting};
pub use http::WebServer;
pub use human::{HumanBot, Patience};
pub use open::{kinds, open};
pub use open_beneath::open_beneath;
pub use portable::{Portable, PortableFiles};
pub use process::{Exit, ShutdownReport, Usage, kill_all};
pub use program::{Program, on_path};
pub use sandbox::{Level, SandboxOptions};
pub use snapshot::{
    BYTES as SNAPSHOT_BYTES, Beyond, CopyFolder, FILES as SNAPSHOT_FILES, Snapshot,
};
pub use spec::{BotKind, BotSpec, ClojureFile, ParseSpecError, unique_names};
pub use wasm::{HOST as WASM_HOST, MEMORY as WASM_MEMORY};
