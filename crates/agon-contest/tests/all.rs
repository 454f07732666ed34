//! All tests of this crate that need no program of their own.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![allow(
    clippy::disallowed_methods,
    reason = "what is tested must not depend on the platform; tests may"
)]

mod common;
mod formats;
mod journal;
mod ladder;
mod plan;
mod report;
#[cfg(feature = "play")]
mod schemas;
