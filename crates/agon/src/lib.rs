//! Agon, an arena for programming games: the command line.
//!
//! [`run`] is the whole program `agon`. A crate of your own gets all of it with a game of yours:
//!
//! ```no_run
//! # use agon_games::cluster as mygame;
//! fn main() -> std::process::ExitCode {
//!     agon::run(agon::games![mygame::Cluster])
//! }
//! ```
//!
//! `docs/your-game.md` shows such a crate. Programs beside it with `agon_server::run` and
//! `agon_nats::run` serve ladders and play on other machines.
//!
//! `cli.rs` says what can be typed, `commands/` what happens then, `output/` how it looks.

// For `say!`.
#[macro_use]
extern crate agon_console;

mod arena;
mod cli;
mod commands;
mod diagnostics;
mod interrupts;
mod output;
mod sandbox;

use std::io::{self, Write};
use std::{ffi::OsString, path::Path, process::ExitCode};

use agon_arena::ArenaError;
use agon_games::{GameId, any::GameKind};
use cli::Cli;

pub use agon_games::any::kind_of;

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

/// Lists games from outside for [`run`]: `games![mygame::Tron]`. Each is a
/// [`FullGame`](agon_games::any::FullGame), such as those of the kit.
#[macro_export]
macro_rules! games {
    ($($game:ty),* $(,)?) => {
        &[$($crate::kind_of::<$game>()),*]
    };
}

/// Runs the command line with games from outside beside Agon's own.
pub fn run(games: &[&'static dyn GameKind]) -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().collect();
    if let Err(code) = manual(&words).map_or_else(|| agon_bots::begin(&words, games), Err) {
        return code;
    }
    let cli = match Cli::read(words) {
        Ok(cli) => cli,
        Err(code) => return code,
    };
    cli.color.write_global();
    diagnostics::survive_file_limit();
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

/// Writes manual pages, for packages: nobody types this. `None` for all other commands.
fn manual(words: &[OsString]) -> Option<ExitCode> {
    words.get(1).filter(|word| *word == "__manual")?;
    let written = commands::manual(Path::new(words.get(2)?));
    Some(written.map_or_else(|error| fail(&error), |()| ExitCode::SUCCESS))
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
    diagnostics::file_limit_words(error)
        .into_iter()
        .for_each(|words| text = format!("{text}; {words}"));
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

/// The number of this release.
pub(crate) const RELEASE: &str = env!("CARGO_PKG_VERSION");

/// The commit that this program was built from and its date; `None` if there was no git.
pub(crate) const COMMIT: Option<&str> = option_env!("AGON_COMMIT");

/// Returns the text after the program's name.
pub(crate) fn version() -> String {
    let commit = COMMIT.map(|commit| format!(" ({commit})")).unwrap_or_default();
    let games = GameId::all().into_iter().map(GameId::meta);
    let rules: Vec<_> = games.map(|m| format!("{} {}", m.id, m.rules_version)).collect();
    format!(
        "{RELEASE}{commit}\nrules: {}\n{}, {}-{}",
        rules.join(", "),
        origin(),
        std::env::consts::ARCH,
        std::env::consts::OS
    )
}

/// Returns where this program comes from.
pub(crate) fn origin() -> &'static str {
    if agon_files::parts::is_packaged() { "from a package" } else { "built from source" }
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
