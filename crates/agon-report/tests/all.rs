//! All tests of this crate that need no program of their own.

mod common;
mod files;
mod numbers;
mod page;
