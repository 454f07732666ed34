//! `agon login`, `submit` and the like: starts the client of ladder servers, which is a program of
//! its own.

use agon_console::client_options::CLIENT;
use anyhow::Result;

use super::part::become_part;
use crate::Exit;

/// Becomes the client, which gets all words as they were typed.
///
/// # Errors
/// If the client is missing, or cannot be built or started.
pub(crate) fn client() -> Result<Exit> {
    become_part(CLIENT, "agon", std::env::args_os().skip(1).collect())
}
