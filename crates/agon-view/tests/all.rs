//! All tests of this crate that need no program of their own.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod colors;
mod games;
mod golden;
mod paint_support;
mod panels;
mod patterns;
mod people;
mod playback;
mod scenes;
mod support;
mod tweens;
mod viewer;
