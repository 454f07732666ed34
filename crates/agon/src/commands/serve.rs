//! `agon serve`: starts the ladder server, which is a program of its own.

use std::ffi::OsString;

use agon_serve_options::SERVER;
use anyhow::Result;

use super::part::become_part;
use crate::Exit;

/// Becomes the server, which gets the words behind `serve` as they were typed.
///
/// # Errors
/// If the server is missing, or cannot be built or started.
pub(crate) fn serve() -> Result<Exit> {
    let mut words: Vec<OsString> = std::env::args_os().skip(1).collect();
    // The first one: a folder may have this name, too. Flags before it go to the end, because
    // `backup` and the like come first.
    if let Some(at) = words.iter().position(|word| word == "serve") {
        words.rotate_left(at);
        words.remove(0);
    }
    become_part(SERVER, "agon serve", words)
}
