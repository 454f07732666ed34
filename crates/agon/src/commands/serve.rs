//! `agon serve`: starts the ladder server, which is a program of its own.

use std::{ffi::OsString, os::unix::process::CommandExt, process::Command};

use agon_serve_options::SERVER;
use anyhow::{Context, Result};

use crate::Exit;

/// Becomes the server, which gets the words behind `serve` as they were typed.
///
/// # Errors
/// If the server is missing, or cannot be built or started.
pub(crate) fn serve() -> Result<Exit> {
    let path = SERVER.find_or_build(|line| say!("{line}"))?;
    let mut words: Vec<OsString> = std::env::args_os().skip(1).collect();
    // The first one: a folder may have this name, too.
    if let Some(at) = words.iter().position(|word| word == "serve") {
        words.remove(at);
    }
    // Signals reach the server itself, and its exit code is this command's.
    let error = Command::new(&path).arg0("agon serve").args(words).exec();
    Err(error).with_context(|| format!("cannot start {}", path.display()))
}
