//! Tests of the server as a whole: the program runs, and clients talk HTTP with it.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod accounts;
mod agents;
mod api;
mod backup;
mod browser;
mod erase;
mod every_page;
mod finals;
mod hand_in;
mod hostile;
mod kill;
mod limits;
mod load;
mod luck;
mod names;
mod operation;
mod pages;
mod people;
mod postgres;
#[cfg(target_arch = "x86_64")]
mod power;
mod proof;
mod proxy;
mod retention;
mod seasons;
mod secrets;
mod support;
