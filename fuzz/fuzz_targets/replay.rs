//! Replay files: damaged ones are reported.
#![no_main]

use agon_core::Game;
use agon_games::{GameId, with_game};
use agon_replay::Replay;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Ok(replay) = Replay::open(data) else { return };
    let _ = (replay.result(), replay.faults(), replay.diagnosis(), replay.damage());
    if let Ok(id) = replay.header().game.parse::<GameId>() {
        with_game!(id, G => {
            let _ = replay.visit_answers::<<G as Game>::Answer>(|_, _| {});
            let _ = replay.verify::<G>();
            let _ = replay.seek::<G>(replay.steps() / 2);
        });
    }
});
