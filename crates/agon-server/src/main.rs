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
//! | `limits` | how many requests may come |
//! | `intake` | from an upload to a version that plays |
//! | `play` | plays matches and records results |
//! | `board`, `ranking`, `arena_handle` | what pages show of an arena, in memory |
//! | `trends` | the latest ratings of versions, in memory |
//! | `keeper` | keeps boards up to date, publishes tables |
//! | `ledger` | the public log that nobody can rewrite unnoticed |
//! | `rating` | live ratings in Elo points |
//! | `problems`, `health`, `metrics`, `disk` | how the server itself is |
//! | `durable` | files and folders that survive a loss of power |
//! | `upkeep` | tasks that keep it well |
//! | `talk`, `logs` | lines for the operator, and about what happens |
//! | `uploads` | uploads that are on their way |
//! | `tries` | trial matches of what is in the editor |
//! | `arenas` | makes arenas and their bosses |
//! | `finals` | draws finals, and makes the arenas in which they are played |
//! | `backup` | copies of the whole folder, and back |
//! | `reset_link` | links for forgotten passwords, from the shell |
//! | `http` | requests and pages |

mod accounts;
mod app;
mod arena_handle;
mod arenas;
mod backup;
mod board;
mod database;
mod disk;
mod durable;
mod finals;
mod health;
mod http;
mod intake;
mod keeper;
mod ledger;
mod limits;
mod logs;
mod metrics;
mod options;
mod play;
mod problems;
mod ranking;
mod rating;
mod reset_link;
mod shared;
mod start;
mod store;
mod talk;
mod trends;
mod tries;
mod upkeep;
mod uploads;

use std::{ffi::OsString, process::ExitCode};

use agon_bots::HostExecutable;
use agon_console::serve_options::{Chore, ServeCommand};
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
    // Before any thread or program starts.
    agon_sandbox::take_secrets();
    let options = Options::parse_from(words);
    let ServeCommand { chore, serve, database, remote } = options.command;
    let done = match (chore, serve) {
        (Some(Chore::Backup(chore)), _) => backup::make(&chore),
        (Some(Chore::Restore(chore)), _) => backup::restore(&chore),
        (Some(Chore::RotateKey(chore)), _) => ledger::rotate_key(&chore.data),
        (Some(Chore::ResetLink(chore)), _) => reset_link::make(&chore),
        (None, Some(serve)) => {
            let verbose = options.verbose;
            start::run(&serve, &database, &remote, verbose).map(|()| ExitCode::SUCCESS)
        }
        (None, None) => unreachable!("clap demands one of them"),
    };
    match done {
        Ok(code) => code,
        Err(error) => {
            talk::say(&format!("error: {error:#}"));
            ExitCode::from(2)
        }
    }
}
