//! `agon-nats`: carries matches between machines over NATS.
//!
//! `agon` starts it as a part, to have matches played on other machines (`--on nats://HOST`).
//! `agon worker` becomes it, and then it plays matches of others.
//!
//! | module | contents |
//! | --- | --- |
//! | `nats` | all that is said to the server; only it uses `async-nats` |
//! | `bridge` | carries the messages of a coordinator, which is another process |
//! | `lease` | one coordinator leads a run at a time |
//! | `worker` | plays matches of others |

mod bridge;
mod lease;
mod nats;
mod worker;

use std::{ffi::OsString, process::ExitCode};

use agon_bots::HostExecutable;
use agon_remote::WorkerOptions;
use clap::Parser;

/// The command line of `agon worker`.
#[derive(Debug, Parser)]
#[command(name = "agon worker", version, max_term_width = 100)]
struct Options {
    #[command(flatten)]
    worker: WorkerOptions,
}

fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().collect();
    match words.get(1).and_then(|word| word.to_str()) {
        None => return bridge::main(),
        Some(worker::LAUNCHER) => return agon_sandbox::zygote_main(),
        Some(HostExecutable::SUBCOMMAND) => {
            return agon_bots::native::child_main(words[2..].iter().cloned());
        }
        Some(_) => {}
    }
    let Options { worker } = Options::parse_from(words);
    match worker::run(&worker) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {}", agon_text::escape(&format!("{error:#}")));
            ExitCode::from(2)
        }
    }
}
