//! Match specs: what is read is written and read again as the same, and a match can be set up with
//! it or is refused.

use agon_core::Game;
use agon_games::with_game;
use agon_match::spec::MatchSpec;

/// Runs the target on one input.
///
/// # Panics
/// If something is wrong.
pub fn run(data: &[u8]) {
    let Ok(spec) = MatchSpec::from_json(data) else { return };
    let text = serde_json::to_vec(&spec).expect("what was read has no bot of this machine");
    assert_eq!(MatchSpec::from_json(&text).expect("own specs can be read"), spec);
    let paths = &spec.settings.sandbox;
    let is_portable = paths.read.is_empty() && paths.write.is_empty();
    assert_eq!(spec.check_portable().is_ok(), is_portable);
    with_game!(spec.game, G => {
        let rules = spec.rules::<G>().expect("checked specs have settings of their game");
        if let Ok(mut game) = G::new(&rules, spec.seats.len(), spec.seed) {
            crate::play_some(&mut game);
        }
    });
}
