//! Scenarios: whatever is read is played or refused.

use agon_games::{GameId, with_game};
use agon_match::{Scenario, scenario};

/// Runs the target on one input.
///
/// # Panics
/// If something is wrong.
pub fn run(data: &[u8]) {
    let text = crate::text(data);
    let Ok(Ok(id)) = scenario::game_id(text).map(|id| id.parse::<GameId>()) else { return };
    with_game!(id, G => {
        if let Ok(scenario) = Scenario::<G>::parse(text) {
            let _ = scenario.write_states(&mut std::io::sink());
        }
    });
}
