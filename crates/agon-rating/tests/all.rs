//! All tests of this crate that need no program of their own.

mod properties;
mod reference;
mod simulation;
mod table;
