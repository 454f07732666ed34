//! Tests of WebAssembly bots that misbehave: this host's rows of `agon-bots/tests/table/table.txt`.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

#[path = "../../agon-bots/tests/table/cells.rs"]
#[allow(dead_code, reason = "the other hosts are checked elsewhere")]
mod cells;

use std::path::Path;

use agon_bots::HostOptions;
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
    // Later runs of the tests find the compiled bots.
    let cache = Some(Path::new(env!("CARGO_TARGET_TMPDIR")).join("c"));
    let options = HostOptions { cache, ..crate::common::options() };
    cells::check_host("wasm", wasm, &options, 2);
}
