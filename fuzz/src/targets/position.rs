//! Positions of all games: what is accepted can be played, and is the position that it was.

use agon_core::{Game, Seed};
use agon_games::with_game;

/// Runs the target on one input.
///
/// # Panics
/// If something is wrong.
pub fn run(data: &[u8]) {
    let Some((id, input)) = crate::choose_game(data) else { return };
    with_game!(id, G => {
        type Read<G> = (<G as Game>::Rules, <G as Game>::Position);
        let Ok((rules, position)) = postcard::from_bytes::<Read<G>>(input) else {
            return;
        };
        if let Ok(mut game) = G::from_position(&rules, Seed(1), position) {
            let again = G::from_position(&rules, Seed(1), game.position()).expect("own positions \
                are fine");
            assert!(again == game && again.state_hash() == game.state_hash(), "the position is the \
                same");
            crate::play_some(&mut game);
        }
    });
}
