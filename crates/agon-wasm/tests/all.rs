//! All tests of this crate that need no program of their own.

mod bad;
mod c;
mod common;
mod games;
mod matches;
mod play;
mod refused;
mod table;
