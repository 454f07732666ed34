//! Tests seven kinds of misbehaviour in five games and all hosts.
//!
//! `table.txt` has the expected results. `agon-wasm` checks the rows of WebAssembly.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

mod cells;

use std::path::PathBuf;

use agon_bots::HostOptions;
use cells::check_host;

#[test]
fn the_games_own_protocols() {
    agon_testkit::slow!();
    // Compiled Clojure code, which all tests share.
    let cache = Some(PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("clojure"));
    check_host("own", cells::own, &HostOptions { cache, ..crate::common::patient() }, 4);
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
    check_host("native", cells::native, &crate::common::patient(), 8);
}
