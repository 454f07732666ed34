//! Commands that are programs of their own.

use std::{
    ffi::OsString,
    os::unix::process::CommandExt,
    path::PathBuf,
    process::Command,
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::Duration,
};

use agon_parts::Part;
use anyhow::{Context, Result};

use crate::Exit;

/// If it takes longer to bring a program up to date, people hear of it.
const PATIENCE: Duration = Duration::from_secs(1);

/// Returns a program's path. In a checkout it is built if its sources have changed: unlike parts
/// that exchange messages with `agon`, nobody would notice an old one.
fn path(part: Part) -> Result<PathBuf> {
    let announce = |line: &str| say!("{line}");
    if part.is_built_on_demand() {
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
///
/// # Errors
/// If the program is missing, or cannot be built or started.
pub(super) fn become_part(part: Part, name: &str, words: Vec<OsString>) -> Result<Exit> {
    let path = path(part)?;
    // Signals reach the program itself, and its exit code is this command's.
    let error = Command::new(&path).arg0(name).args(words).exec();
    Err(error).with_context(|| format!("cannot start {}", path.display()))
}
