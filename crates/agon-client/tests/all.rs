//! Tests of `agon-client` with a real server.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod account;
mod author;
mod hostile;
mod ladder;
mod own_bot;
mod shell;
#[allow(dead_code, unused_imports, reason = "tests of the server use all of it")]
#[path = "../../agon-server/tests/support/mod.rs"]
mod support;
mod workers;
