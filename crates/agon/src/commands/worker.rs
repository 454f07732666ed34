//! `agon worker`: plays matches of others; it is a program of its own.

use agon_remote::PART;
use anyhow::Result;

use super::part::{become_part, words_of};
use crate::Exit;

/// Becomes the worker, which gets the words behind `worker` as they were typed.
///
/// # Errors
/// If the program is missing, or cannot be built or started.
pub(crate) fn worker() -> Result<Exit> {
    become_part(PART, "agon worker", words_of("worker"))
}
