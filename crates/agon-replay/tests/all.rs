//! All tests of this crate that need no program of their own.

mod damage;
mod foreign;
mod round_trip;
mod support;
