//! All tests of this crate that need no program of their own.

mod common;
mod formats;
mod journal;
mod ladder;
mod matchmaking;
mod plan;
mod resume;
