//! Tests seven kinds of misbehaviour in all hosts, most of them with five games.
//!
//! `table.txt` has the expected results. `agon-wasm` checks the rows of WebAssembly.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

mod cells;

use std::path::Path;

use agon_bots::HostOptions;
use cells::check_host;

/// Returns options with a cache of compiled bots that later runs of the tests find.
fn options(cache: &str) -> HostOptions {
    let cache = Some(Path::new(env!("CARGO_TARGET_TMPDIR")).join(cache));
    HostOptions { cache, ..crate::common::patient() }
}

#[test]
fn the_games_own_protocols() {
    agon_testkit::slow!();
    check_host("own", cells::own, &options("clojure"), 4);
}

#[test]
fn json_lines() {
    agon_testkit::slow!();
    check_host("jsonl", cells::json_lines, &crate::common::patient(), 8);
}

#[test]
fn connections() {
    agon_testkit::needs!("python3");
    check_host("connect", cells::connected, &crate::common::patient(), 8);
}

#[test]
fn native_libraries() {
    check_host("native", cells::native, &options("c"), 8);
}

#[test]
fn web_servers() {
    agon_testkit::slow!();
    check_host("http", cells::started_server, &crate::common::patient(), 8);
    check_host("address", cells::running_server, &crate::common::patient(), 8);
}
