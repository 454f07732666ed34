//! All tests of this program.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod database;
mod host;
mod made_up;
