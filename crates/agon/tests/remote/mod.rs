//! Matches on other machines: `agon worker` and `--on`, with a real NATS server.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod bot_store;
mod chaos;
mod fleet;
mod refusals;
mod same_table;
mod secured;
mod storm;
mod unequal;
