//! Tournaments from the command line.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod absent;
mod examples;
mod folder;
mod identity;
mod kill;
mod queries;
pub(crate) mod test_dir;
