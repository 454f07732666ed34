//! Settings of all games: with whatever is accepted a match can begin.

use agon_core::{Game, Seed};
use agon_games::with_game;

/// Runs the target on one input.
///
/// # Panics
/// If something is wrong.
pub fn run(data: &[u8]) {
    let Some((id, input)) = crate::choose_game(data) else { return };
    with_game!(id, G => {
        let read = postcard::from_bytes::<(<G as Game>::Rules, u8)>(input);
        let Ok((rules, players)) = read else { return };
        if let Ok(mut game) = G::new(&rules, usize::from(players), Seed(1)) {
            crate::play_some(&mut game);
        }
    });
}
