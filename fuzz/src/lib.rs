//! What several fuzz targets share.

use agon_core::{Game, GameExt, Seed};
use agon_games::{GameId, Presets, with_game};

/// The game that the first byte chooses, and the other bytes.
pub fn choose_game(data: &[u8]) -> Option<(GameId, &[u8])> {
    let (&first, rest) = data.split_first()?;
    Some((GameId::ALL[usize::from(first) % GameId::ALL.len()], rest))
}

/// Plays some scripted steps, with the default answer now and then.
pub fn play_some<G: Game>(game: &mut G) {
    for step in 0..4 {
        if game.is_over() {
            assert!(game.standing().outcome.is_some(), "a game that is over has an outcome");
            return;
        }
        if step == 2 {
            game.step_with(|_, _| G::Answer::default());
        } else {
            let answers = game.scripted_answers(Seed(1), step);
            game.step(&answers);
        }
    }
}

/// Sets up a match of as near to two players as the game allows.
///
/// # Panics
/// If the settings do not fit.
pub fn begin<G: Game>(rules: &G::Rules) -> G {
    let players = 2.clamp(G::META.min_players, G::META.max_players);
    G::new(rules, players, Seed(1)).expect("the settings fit")
}

/// Settings that make a game small, as JSON.
pub fn small(id: GameId) -> &'static str {
    with_game!(id, G => G::TINY)
}
