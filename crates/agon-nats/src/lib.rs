//! `agon-nats`: carries matches between machines over NATS. [`run`] is the whole program, so that
//! one from outside can have further games.
//!
//! `agon` starts it as a part, to have matches played on other machines (`--on nats://HOST`).
//! `agon worker` becomes it, and then it plays matches of others.
//!
//! | module | contents |
//! | --- | --- |
//! | `nats` | all that is said to the server; only it uses `async-nats` |
//! | `bridge` | carries the messages of a coordinator, which is another process |
//! | `worker` | plays matches of others |
//! | `systemd_unit` | a unit for systemd that starts a worker |
//! | `status` | shows workers, runs, and what waits |
//! | `secure` | writes a server's configuration, and credentials |
//! | `share` | a folder through which bots travel |

mod bridge;
mod nats;
mod secure;
mod share;
mod status;
mod systemd_unit;
mod worker;

use std::{ffi::OsString, process::ExitCode};

use agon_games::any::GameKind;
use agon_remote::{WorkerChore, WorkerCommand};
use anyhow::Result;
use clap::Parser;

/// The command line of `agon worker`.
#[derive(Debug, Parser)]
#[command(name = "agon worker", version, max_term_width = 100)]
struct Options {
    #[command(flatten)]
    command: WorkerCommand,
    /// When to use colours: there are none.
    #[arg(long, global = true, value_name = "WHEN", hide = true)]
    color: Option<String>,
}

/// Runs `agon-nats` with games from outside beside Agon's own.
pub fn run(games: &[&'static dyn GameKind]) -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().collect();
    if let Err(code) = agon_bots::begin(&words, games) {
        return code;
    }
    // Before any thread or program starts.
    agon_sandbox::take_secrets();
    if words.get(1).is_none_or(|word| word.to_str().is_none()) {
        return bridge::main();
    }
    match obey(&Options::parse_from(words).command) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {}", agon_core::text::escape(&format!("{error:#}")));
            ExitCode::from(2)
        }
    }
}

/// Returns whether all is well.
fn obey(command: &WorkerCommand) -> Result<bool> {
    match (&command.chore, &command.worker) {
        (Some(WorkerChore::Status(options)), _) => status::run(options),
        (Some(WorkerChore::Secure(options)), _) => secure::secure(options).map(|()| true),
        (Some(WorkerChore::Credential(options)), _) => secure::credential(options).map(|()| true),
        (Some(WorkerChore::Revoke(options)), _) => secure::revoke(options).map(|()| true),
        (None, Some(worker)) if worker.install => systemd_unit::print(worker).map(|()| true),
        (None, Some(worker)) => worker::run(worker).map(|()| true),
        (None, None) => anyhow::bail!("name the server: agon worker nats://HOST"),
    }
}
