//! `agon-server`, which `agon serve` starts: a ladder with everything around it.
//!
//! People hand in bots in their browsers. The server builds and examines each version, plays
//! matches without end, and ranks the versions. `docs/ladder.md` is for those who run one.
//!
//! | module | contents |
//! | --- | --- |
//! | `options` | the command line |
//! | `start` | from the command line to a running server, and its end |
//! | `app` | what threads and requests share |
//! | `database`, `store` | rows and transactions; what is kept |
//! | `accounts` | names, passwords, secrets |
//! | `intake` | from an upload to a version that plays |
//! | `play` | plays matches and records results |
//! | `board` | what pages show of an arena, in memory; published tables |
//! | `tries` | trial matches of what is in the editor |
//! | `arenas` | makes arenas and their bosses |
//! | `http` | requests and pages |

mod accounts;
mod app;
mod arenas;
mod board;
mod database;
mod http;
mod intake;
mod options;
mod play;
mod start;
mod store;
mod tries;

use std::{ffi::OsString, process::ExitCode};

use agon_bots::HostExecutable;
use clap::Parser;

use crate::options::Options;

/// The word with which the program starts as the process that starts bots.
const LAUNCHER: &str = "__launcher";

fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().collect();
    match words.get(1).and_then(|word| word.to_str()) {
        Some(LAUNCHER) => return agon_sandbox::zygote_main(),
        Some(HostExecutable::SUBCOMMAND) => {
            return agon_bots::native::child_main(words[2..].iter().cloned());
        }
        _ => {}
    }
    let options = Options::parse_from(words);
    match start::run(options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            start::say(&format!("error: {error:#}"));
            ExitCode::from(2)
        }
    }
}
