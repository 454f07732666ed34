//! All tests of this crate.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod job_series;
mod pool;
mod specs;
