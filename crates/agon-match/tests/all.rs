//! All tests of this crate that need no program of their own.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod ahead;
mod damage;
mod documented_scenarios;
mod foreign;
mod games;
mod observers;
mod people;
mod referee;
mod replay_session;
mod round_trip;
mod scenario;
mod schemas;
mod slow_bots;
mod support;
