//! Agon, an arena for programming games: the command line.
//!
//! `cli.rs` says what can be typed, `commands/` what happens then, `output/` how it looks.

// For `say!`.
#[macro_use]
extern crate agon_console;

mod arena;
mod cli;
mod commands;
mod diagnostics;
mod file_limit;
mod interrupts;
mod output;
mod sandbox;
mod show;
mod version;

use std::{
    ffi::OsString,
    io::{self, Write},
    path::Path,
    process::ExitCode,
};

use agon_arena::ArenaError;
use agon_bots::HostExecutable;
use cli::Cli;

/// What a command found, as an exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// 0: done.
    Done,
    /// 1: what was checked is not so.
    Negative,
    /// 130: stopped by Ctrl-C.
    Interrupted,
}

const ERROR: u8 = 2;

/// A match panicked: its game, or Agon, has a mistake.
const PANIC: u8 = 3;

/// As shells report a program that a broken pipe has ended: 128 and the number of the signal.
const UNREAD: u8 = 141;

fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().collect();
    if let Some(code) = internal(&words) {
        return code;
    }
    let cli = match Cli::read(words) {
        Ok(cli) => cli,
        Err(code) => return code,
    };
    cli.color.write_global();
    file_limit::survive();
    let mut out = output::stdout();
    let result = diagnostics::start(cli.verbose)
        .and_then(|()| commands::run(cli.command, &mut out))
        .and_then(|exit| Ok(out.flush().map(|()| exit)?));
    interrupts::wait_if_leaving();
    match result {
        Ok(Exit::Done) => ExitCode::SUCCESS,
        Ok(Exit::Negative) => ExitCode::from(1),
        Ok(Exit::Interrupted) => ExitCode::from(130),
        // Whoever reads our output has seen enough, as in `agon rules cluster | head`; but what
        // came of it is unknown.
        Err(error) if is_broken_pipe(&error) => ExitCode::from(UNREAD),
        Err(error) => fail(&error),
    }
}

/// Does what Agon starts itself for: nobody types these commands, so that neither help nor
/// completions name them. `None` for all other commands.
fn internal(words: &[OsString]) -> Option<ExitCode> {
    match words.get(1)?.to_str()? {
        sandbox::LAUNCHER => Some(agon_sandbox::zygote_main()),
        HostExecutable::SUBCOMMAND => {
            Some(agon_bots::native::child_main(words[2..].iter().cloned()))
        }
        "__manual" => {
            let folder = Path::new(words.get(2)?);
            let written = commands::completions::manual(folder);
            Some(written.map_or_else(|error| fail(&error), |()| ExitCode::SUCCESS))
        }
        _ => None,
    }
}

fn fail(error: &anyhow::Error) -> ExitCode {
    let style = output::BAD;
    let is_output = error.chain().count() == 1 && output::stdout_failure().is_some();
    let place = if is_output { "standard output: " } else { "" };
    say!("{style}error:{style:#} {place}{}", explain(error));
    ExitCode::from(code_of(error))
}

fn code_of(error: &anyhow::Error) -> u8 {
    let mut causes = error.chain().filter_map(|cause| cause.downcast_ref());
    match causes.any(|cause| matches!(cause, ArenaError::Panic { .. })) {
        true => PANIC,
        false => ERROR,
    }
}

/// The error with its causes, and what limits have to do with it.
fn explain(error: &anyhow::Error) -> String {
    let mut text = agon_console::explain(error.as_ref());
    file_limit::words(error).into_iter().for_each(|words| text = format!("{text}; {words}"));
    text
}

/// Whether somebody has stopped reading what we write: on standard output, or behind a pipe that
/// was named as a file.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    // Libraries that write for us do not always name the cause.
    output::stdout_failure() == Some(io::ErrorKind::BrokenPipe)
        || error
            .chain()
            .filter_map(|e| e.downcast_ref::<io::Error>())
            .any(|e| e.kind() == io::ErrorKind::BrokenPipe)
}

#[cfg(test)]
mod tests {
    use anyhow::anyhow;

    use super::*;

    #[test]
    fn a_match_that_panicked_has_its_own_exit_code() {
        let panic = ArenaError::Panic { message: "no cell".to_owned(), replay: None };
        assert_eq!(code_of(&anyhow::Error::from(panic).context("cannot play")), PANIC);
        assert_eq!(code_of(&anyhow!("there is no such file")), ERROR);
    }
}
