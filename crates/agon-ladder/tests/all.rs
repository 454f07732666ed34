//! All tests of this crate that need no program of their own.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod edges;
mod simulation;
