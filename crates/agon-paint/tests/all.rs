//! All tests of this crate that need no program of their own.

mod games;
mod golden;
mod scenes;
mod support;
mod tweens;
