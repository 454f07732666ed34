//! All tests of this crate that need no program of their own.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod battlesnake;
mod binfection;
mod builtin_answers;
mod clojure;
mod cluster;
mod common;
mod flat;
mod jsonl;
mod native;
mod open;
mod rezzo;
mod snapshot;
mod table;
mod turn_log;
