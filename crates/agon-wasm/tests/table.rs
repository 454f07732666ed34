//! Tests of WebAssembly bots that misbehave: this host's rows of `agon-bots/tests/table/table.txt`.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

#[path = "../../agon-bots/tests/table/cells.rs"]
#[allow(dead_code, reason = "the other hosts are checked elsewhere")]
mod cells;

use std::path::Path;

use agon_games::GameId;
use cells::{Made, Way};

/// Makes C functions that answer whole batches, as WebAssembly, which cannot sleep.
fn wasm(game: GameId, way: Way, folder: &Path) -> Made {
    match cells::batch(game, way, folder, "", "") {
        _ if way == Way::Silent => Made::Impossible,
        Made::Spec(path) => Made::Spec(format!("wasm:{path}")),
        other => other,
    }
}

#[test]
fn web_assembly() {
    if crate::common::clang().is_none() {
        return;
    }
    cells::check_host("wasm", wasm, &crate::common::options(), 2);
}
