//! `agon-server`, which `agon serve` starts: a ladder with everything around it. [`run`] is the
//! whole program, so that one from outside can have further games.
//!
//! People hand in bots in their browsers. The server builds and examines each version, plays
//! matches without end, and ranks the versions. `docs/ladder.md` is for those who run one.
//!
//! | module | contents |
//! | --- | --- |
//! | `start` | from the command line to a running server, and its end |
//! | `shared` | what all threads and requests share |
//! | `app` | the server as requests see it |
//! | `database`, `store` | rows and transactions; what is kept |
//! | `accounts` | names, passwords, secrets |
//! | `limits` | how many requests may come |
//! | `intake` | from an upload to a version that plays |
//! | `play` | plays matches and records results |
//! | `board`, `ranking`, `arena_handle` | what pages show of an arena, in memory |
//! | `ledger` | the public log that nobody can rewrite unnoticed |
//! | `health`, `metrics` | how the server itself is |
//! | `durable` | files and folders that survive a loss of power |
//! | `upkeep` | tasks that keep it well |
//! | `logs` | lines for the operator, and about what happens |
//! | `tries` | trial matches of what is in the editor |
//! | `arenas` | makes arenas and their bosses, keeps boards up to date, publishes tables |
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
mod durable;
mod finals;
mod health;
mod http;
mod intake;
mod ledger;
mod limits;
mod logs;
mod metrics;
mod play;
mod ranking;
mod reset_link;
mod shared;
mod start;
mod store;
mod tries;
mod upkeep;

use std::{ffi::OsString, process::ExitCode};

use agon_console::serve_options::{Chore, ServeCommand};
use agon_games::any::GameKind;
use clap::Parser;

/// Runs a ladder: people hand in bots in their browsers, the server plays them and ranks them.
#[derive(Debug, Parser)]
#[command(name = "agon-server", version, max_term_width = 100)]
struct Options {
    #[command(flatten)]
    command: ServeCommand,
    /// Report on standard error what happens inside; twice for more.
    #[arg(long, global = true, action = clap::ArgAction::Count)]
    verbose: u8,
    /// When to use colours: the server uses none.
    #[arg(long, global = true, value_name = "WHEN", hide = true)]
    color: Option<String>,
}

/// Runs `agon-server` with games from outside beside Agon's own.
pub fn run(games: &[&'static dyn GameKind]) -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().collect();
    if let Err(code) = agon_bots::begin(&words, games) {
        return code;
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
            logs::say(&format!("error: {error:#}"));
            ExitCode::from(2)
        }
    }
}

#[cfg(test)]
mod tests {
    use agon_console::serve_options::Chore;
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        Options::command().debug_assert();
    }

    #[test]
    fn a_folder_is_served_unless_something_else_is_named() {
        let read = |words: &str| Options::try_parse_from(words.split(' '));
        let options = read("agon-server --data x --pace 3 --verbose").unwrap();
        let serve = options.command.serve.expect("it serves");
        assert_eq!((serve.pace, options.command.chore.is_none()), (3, true));
        let options = read("agon-server backup --data x copy --verbose").unwrap();
        assert!(matches!(options.command.chore, Some(Chore::Backup(_))));
        assert!(options.command.serve.is_none() && options.verbose == 1);
        assert!(read("agon-server restore copy --data new").is_ok());
        for words in ["agon-server", "agon-server --pace 3", "agon-server --data x backup y"] {
            assert!(read(words).is_err(), "{words}");
        }
    }
}
