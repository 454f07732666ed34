//! `agon serve`: starts the ladder server, which is a program of its own.

use agon_console::serve_options::SERVER;
use anyhow::Result;

use super::part::{become_part, words_of};
use crate::Exit;

/// Becomes the server, which gets the words behind `serve` as they were typed.
///
/// # Errors
/// If the server is missing, or cannot be built or started.
pub(crate) fn serve() -> Result<Exit> {
    become_part(SERVER, "agon serve", words_of("serve"))
}
