//! All tests of this crate that need no program of their own.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod dom;
mod every_page;
#[path = "../examples/gallery/sample/mod.rs"]
mod sample;
mod texts;
