//! All tests of this crate that need no program of their own.

mod again;
mod documented_scenarios;
mod games;
mod people;
mod referee;
mod scenario;
