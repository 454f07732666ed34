//! `agon-client`, which `agon login`, `agon submit` and the like start: the client of ladder
//! servers. [`run`] is the whole program, so that one from outside can have further games.
//!
//! It speaks the JSON API of the crate `agon-ladder`. `docs/submit.md` is for those who use it.
//!
//! | module | contents |
//! | --- | --- |
//! | `commands` | what each command does |
//! | `session` | which server is meant, and as whom |
//! | `servers` | addresses, and the file with servers and tokens |
//! | `http` | requests with limits, and what can go wrong |
//! | `api` | requests of the API; arenas and bots by their names |
//! | `nonces` | secret numbers for the seeds of finals |
//! | `log` | a server's public log: reads it, and remembers how far it was |
//! | `packed` | the files of a bot's folder, as they are handed in |
//! | `show` | tables, ratings, results in words |

#[macro_use]
extern crate agon_console;

mod api;
mod commands;
mod http;
mod log;
mod nonces;
mod packed;
mod servers;
mod session;
mod show;

use std::io::{self, Write};
use std::{ffi::OsString, process::ExitCode};

use agon_bots::HostOptions;
use agon_console::{BAD, Color, client_options::ClientCommand, explain, stdout, stdout_failure};
use agon_games::any::GameKind;
use clap::Parser;

const ERROR: u8 = 2;

/// As shells report a program that a broken pipe has ended: 128 and the number of the signal.
const UNREAD: u8 = 141;

/// Runs `agon-client` with games from outside beside Agon's own.
pub fn run(games: &[&'static dyn GameKind]) -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().collect();
    if let Err(code) = agon_bots::begin(&words, games) {
        return code;
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

/// What a command found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// 0: done.
    Done,
    /// 1: what was wanted is not so.
    Negative,
}

/// Returns what this machine has for bots.
pub(crate) fn machine() -> HostOptions {
    HostOptions { announce: Some(|line| say!("{line}")), ..HostOptions::own() }
}

/// Uses a ladder server from a shell.
#[derive(Debug, Parser)]
#[command(name = "agon", bin_name = "agon", version, max_term_width = 100)]
pub(crate) struct Options {
    /// When to use colours.
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub(crate) color: Color,
    /// Report on standard error what happens inside: nothing here.
    #[arg(long, global = true, hide = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
    #[command(subcommand)]
    pub(crate) command: ClientCommand,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        Options::command().debug_assert();
    }

    #[test]
    fn the_guides_name_commands_that_exist() {
        let guides = ["docs/submit.md", "docs/ladder-proof.md"];
        let mut commands = 0;
        for guide in guides {
            let text = std::fs::read_to_string(format!("../../{guide}")).unwrap();
            let lines = text.lines().filter_map(|line| line.strip_prefix("$ "));
            for line in lines.filter(|line| !line.starts_with("agon new ")) {
                let words = shlex::split(line).unwrap();
                let read = Options::try_parse_from(words);
                assert!(read.is_ok(), "{guide}: {line}: {}", read.unwrap_err());
                commands += 1;
            }
        }
        assert!(commands > 8, "{commands} commands");
    }
}
