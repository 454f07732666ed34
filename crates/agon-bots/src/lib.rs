//! Asks bots for answers.
//!
//! A [`BotSpec`] is what a person types to name a bot; [`open`] makes a [`Bot`] of it, which the
//! referee asks for answers. There is a host for each kind of bot, a module each:
//!
//! | module | runs |
//! | --- | --- |
//! | `builtin` | bots that come with a game |
//! | [`native`] | C functions, in a child process with shared memory |
//! | `wasm` | WebAssembly modules, likewise; [`batch`] is what both have in common |
//! | [`clojure`] | species of amoebas in Clojure, each in a JVM of its own |
//! | [`jsonl`] | programs that speak the JSON Lines protocol, started by the arena or running already |
//! | `cluster`, `rezzo`, `binfection` | programs that speak the game's own protocol |
//! | `human` | people, who are asked at a desk |
//!
//! ```
//! use agon_bots::{HostOptions, open, unique_names};
//! use agon_games::cluster::Cluster;
//!
//! let specs = ["builtin:random", "alice=builtin:random"];
//! let specs = specs.map(|text| text.parse().expect("names a bot"));
//! let bots = specs.each_ref().map(|spec| open::<Cluster>(spec, &HostOptions::default()));
//! assert!(bots.iter().all(Result::is_ok));
//! let names = specs.map(|spec: agon_bots::BotSpec| spec.name());
//! assert_eq!(unique_names(names), ["random", "alice"]);
//!
//! let misspelt = "randem".parse().expect("names a bot");
//! let error = open::<Cluster>(&misspelt, &HostOptions::default()).err();
//! let message = error.expect("there is no such file").to_string();
//! assert_eq!(message, "there is no file `randem`; did you mean `builtin:random`?");
//! ```
//!
//! A bot never makes the arena fail: what it does wrong is a [`Fault`](agon_core::Fault), with
//! evidence, and the answers concerned stay default. What the arena itself lacks is a [`Shortage`],
//! which a bot notes in its [`TurnLog`]: the match cannot go on then. `process` holds what all
//! hosts with child processes rest on, [`clock`] what time they get, [`tools`] what of all this a
//! machine has. What an examination wants to know of a bot beside its answers are the last methods
//! of [`Bot`].
//!
//! `unsafe` code is confined to a few lines each in `process::spawn` (a signal), [`clock`] (CPU
//! clocks), [`native`] (foreign functions) and [`batch`] (shared memory).

mod amoebas;
pub mod batch;
mod binfection;
mod bot;
mod builtin;
mod cache;
mod cellhack;
pub mod clock;
pub mod clojure;
mod cluster;
mod compile;
mod error;
mod human;
mod info;
pub mod jsonl;
pub mod native;
mod open;
mod process;
mod program;
mod rezzo;
pub mod sandbox;
mod shortage;
mod silence;
mod snapshot;
mod spec;
pub mod tools;
pub mod turn_log;
pub mod wait;
mod wasm;

pub use bot::{BatchPart, Bot, Seat};
pub use builtin::BuiltinBot;
pub use clock::{Clock, Timing};
pub use compile::Language;
pub use error::OpenError;
pub use human::{HumanBot, Patience};
pub use open::{
    BatchLimits, HostExecutable, HostOptions, HostedGame, OpenClojureFn, OpenProgramFn, kinds, open,
};
pub use process::{Exit, ShutdownReport, Usage, kill_all};
pub use program::{Program, on_path};
pub use sandbox::{Level, SandboxOptions};
pub use shortage::Shortage;
pub use snapshot::{BYTES as SNAPSHOT_BYTES, Beyond, FILES as SNAPSHOT_FILES, Snapshot};
pub use spec::{BotKind, BotSpec, ClojureFile, ParseSpecError, unique_names};
pub use turn_log::TurnLog;
pub use wait::{Progress, Wait};
pub use wasm::MEMORY as WASM_MEMORY;
