//! Scenarios: whatever is read is played or refused.
#![no_main]

use agon_games::{GameId, with_game};
use agon_match::{Scenario, scenario};

libfuzzer_sys::fuzz_target!(|text: &str| {
    let Ok(Ok(id)) = scenario::game_id(text).map(|id| id.parse::<GameId>()) else { return };
    with_game!(id, G => {
        if let Ok(scenario) = Scenario::<G>::parse(text) {
            let _ = scenario.write_states(&mut std::io::sink());
        }
    });
});
