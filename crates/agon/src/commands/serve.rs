//! `agon serve`: starts the ladder server, which is a program of its own.

use std::{ffi::OsString, os::unix::process::CommandExt, path::PathBuf, process::Command};

use agon_serve_options::SERVER;
use anyhow::{Context, Result};

use crate::Exit;

/// Returns the server's path. In a checkout it is built if its sources have changed: unlike Agon's
/// other parts, nobody would notice an old one.
fn path() -> Result<PathBuf> {
    let announce = |line: &str| say!("{line}");
    if SERVER.is_built_on_demand() {
        let is_new = SERVER.find().is_none_or(|path| !path.is_file());
        let tell = |line: &str| {
            if is_new {
                announce(line);
            }
        };
        if let Some(path) = SERVER.build(tell)? {
            return Ok(path);
        }
    }
    Ok(SERVER.find_or_build(announce)?)
}

/// Becomes the server, which gets the words behind `serve` as they were typed.
///
/// # Errors
/// If the server is missing, or cannot be built or started.
pub(crate) fn serve() -> Result<Exit> {
    let path = path()?;
    let mut words: Vec<OsString> = std::env::args_os().skip(1).collect();
    // The first one: a folder may have this name, too. Flags before it go to the end, because
    // `backup` and the like come first.
    if let Some(at) = words.iter().position(|word| word == "serve") {
        words.rotate_left(at);
        words.remove(0);
    }
    // Signals reach the server itself, and its exit code is this command's.
    let error = Command::new(&path).arg0("agon serve").args(words).exec();
    Err(error).with_context(|| format!("cannot start {}", path.display()))
}
