//! Commands that are programs of their own: `agon serve`, `worker`, `submit` and the like.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::{
    ffi::OsString, os::unix::process::CommandExt, path::PathBuf, process::Command, thread,
    time::Duration,
};

use agon_files::parts::Part;
use agon_games::GameId;
use anyhow::{Context, Result, bail};

use crate::Exit;

/// If it takes longer to bring a program up to date, people hear of it.
const PATIENCE: Duration = Duration::from_secs(1);

/// Returns a program's path. In a checkout it is built if its sources have changed: unlike parts
/// that exchange messages with `agon`, nobody would notice an old one.
fn path(part: Part) -> Result<PathBuf> {
    let announce = |line: &str| say!("{line}");
    // What is built from Agon's sources does not know games from outside.
    if GameId::all().len() > GameId::OWN.len() {
        return part.find().with_context(|| {
            let program = part.program;
            format!("`{program}` with your games is missing: docs/your-game.md shows how to add it")
        });
    }
    if part.is_built_on_demand() {
        if let Some(problem) = cargo_problem() {
            return as_it_is(part, &problem);
        }
        let is_new = part.find().is_none_or(|path| !path.is_file());
        let tell = |line: &str| {
            if is_new {
                announce(line);
            }
        };
        let (over, wait) = mpsc::channel::<()>();
        let program = part.program;
        thread::spawn(move || {
            if !is_new && wait.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                say!("bringing `{program}` up to date with its sources");
            }
        });
        let built = part.build(tell);
        drop(over);
        if let Some(path) = built? {
            return Ok(path);
        }
    }
    Ok(part.find_or_build(announce)?)
}

/// Returns a program's path, if it is built, though cargo does not run.
fn as_it_is(part: Part, problem: &str) -> Result<PathBuf> {
    let Part { program, package, .. } = part;
    let Some(path) = part.find() else {
        bail!(
            "`{program}` is not built, and cargo does not run here: {problem}. Build it as the \
             user who has Rust (`cargo build --package {package}`), or set HOME, where Rust is \
             looked for"
        );
    };
    say!("note: `{program}` may be older than its sources: cargo does not run here: {problem}");
    Ok(path)
}

/// Returns why cargo does not run, in a line; such as with another HOME than that of `rustup`,
/// which writes much more.
fn cargo_problem() -> Option<String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    match Command::new(cargo).arg("--version").output() {
        Ok(output) if output.status.success() => None,
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            let line = said.lines().find(|line| !line.trim().is_empty());
            let line = line.map(|line| line.trim_start_matches("error: ").trim_end_matches('.'));
            Some(line.map_or_else(|| format!("it ended with {}", output.status), str::to_owned))
        }
        Err(error) => Some(error.to_string()),
    }
}

/// Returns the words behind a command as they were typed.
pub(super) fn words_of(command: &str) -> Vec<OsString> {
    let mut words: Vec<OsString> = std::env::args_os().skip(1).collect();
    // The first one: a folder may have this name, too. Flags before it go to the end, because
    // `backup` and the like come first.
    if let Some(at) = words.iter().position(|word| word == command) {
        words.rotate_left(at);
        words.remove(0);
    }
    words
}

/// Becomes a program, which gets these words. `name` is how it calls itself.
pub(super) fn become_part(part: Part, name: &str, words: Vec<OsString>) -> Result<Exit> {
    let path = path(part)?;
    // Signals reach the program itself, and its exit code is this command's.
    let error = Command::new(&path).arg0(name).args(words).exec();
    Err(error).with_context(|| format!("cannot start {}", path.display()))
}
