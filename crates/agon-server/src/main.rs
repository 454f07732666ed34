//! `agon-server`, which `agon serve` starts: a ladder with everything around it.
//!
//! People hand in bots in their browsers. The server builds and examines each version, plays
//! matches without end, and ranks the versions. `docs/ladder.md` is for those who run one.
//!
//! | module | contents |
//! | --- | --- |
//! | `options` | the command line |
//! | `start` | from the command line to a running server, and its end |
//! | `shared` | what all threads and requests share |
//! | `app` | the server as requests see it |
//! | `database`, `store` | rows and transactions; what is kept |
//! | `accounts` | names, passwords, secrets |
//! | `intake` | from an upload to a version that plays |
//! | `play` | plays matches and records results |
//! | `board`, `arena_handle` | what pages show of an arena, in memory |
//! | `keeper` | keeps boards up to date, publishes tables |
//! | `ledger` | the public log that nobody can rewrite unnoticed |
//! | `rating` | live ratings in Elo points |
//! | `problems` | problems of the server itself |
//! | `tries` | trial matches of what is in the editor |
//! | `arenas` | makes arenas and their bosses |
//! | `http` | requests and pages |

mod accounts;
mod app;
mod arena_handle;
mod arenas;
mod board;
mod database;
mod http;
mod intake;
mod keeper;
mod ledger;
mod options;
mod play;
mod problems;
mod rating;
mod shared;
mod start;
mod store;
mod tries;

use std::{ffi::OsString, process::ExitCode};

use agon_bots::HostExecutable;
use clap::Parser;

use crate::options::Options;

fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().collect();
    match words.get(1).and_then(|word| word.to_str()) {
        Some(start::LAUNCHER) => return agon_sandbox::zygote_main(),
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
