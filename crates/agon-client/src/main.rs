//! `agon-client`, which `agon login`, `agon submit` and the like start: the client of ladder
//! servers.
//!
//! It speaks the JSON API of the crate `agon-ladder`. `docs/submit.md` is for those who use it.
//!
//! | module | contents |
//! | --- | --- |
//! | `options` | the command line |
//! | `commands` | what each command does |
//! | `exit` | exit codes |
//! | `session` | which server is meant, and as whom |
//! | `servers` | addresses, and the file with servers and tokens |
//! | `hosts` | what the hosts of bots need |
//! | `http` | requests with limits, and what can go wrong |
//! | `api` | requests of the API |
//! | `nonces` | secret numbers for the seeds of finals |
//! | `log` | a server's public log: reads it, and remembers how far it was |
//! | `packed` | the files of a bot's folder, as they are handed in |
//! | `password` | asks for a password |
//! | `places` | arenas and own bots by their names |
//! | `show` | tables, ratings, results in words |

#[macro_use]
extern crate agon_console;

mod api;
mod commands;
mod exit;
mod hosts;
mod http;
mod log;
mod nonces;
mod options;
mod packed;
mod password;
mod places;
mod servers;
mod session;
mod show;

use std::{
    ffi::OsString,
    io::{self, Write},
    process::ExitCode,
};

use agon_bots::HostExecutable;
use agon_console::{BAD, explain, stdout, stdout_failure};
use clap::Parser;

use crate::{exit::Exit, options::Options};

const ERROR: u8 = 2;

/// As shells report a program that a broken pipe has ended: 128 and the number of the signal.
const UNREAD: u8 = 141;

fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().collect();
    match words.get(1).and_then(|word| word.to_str()) {
        Some(hosts::LAUNCHER) => return agon_sandbox::zygote_main(),
        Some(HostExecutable::SUBCOMMAND) => {
            return agon_bots::native::child_main(words[2..].iter().cloned());
        }
        _ => {}
    }
    // Before any thread or program starts.
    agon_sandbox::take_secrets();
    let options = Options::parse_from(words);
    options.color.write_global();
    let mut out = stdout();
    let result =
        commands::run(options.command, &mut out).and_then(|exit| Ok(out.flush().map(|()| exit)?));
    match result {
        Ok(Exit::Done) => ExitCode::SUCCESS,
        Ok(Exit::Negative) => ExitCode::from(1),
        Err(_) if stdout_failure() == Some(io::ErrorKind::BrokenPipe) => ExitCode::from(UNREAD),
        Err(error) => {
            say!("{BAD}error:{BAD:#} {}", explain(error.as_ref()));
            ExitCode::from(ERROR)
        }
    }
}
