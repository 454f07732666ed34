//! The list of generated files: C headers for bots. `cargo xtask generate` writes them, and a test
//! compares them with the repository.

use crate::{
    GameId,
    batch::{BOT_H, Batch, bot_h},
    with_game,
};

/// A generated file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generated {
    /// Its path below the folder of this crate.
    pub path: String,
    /// Its content.
    pub text: String,
}

/// All generated files. Games that the kit has made have no header of their own.
pub fn files() -> Vec<Generated> {
    let file = |name: &str, text| Generated { path: format!("include/{name}"), text };
    let games = GameId::OWN.into_iter().filter(|&id| with_game!(id, G => G::HAS_OWN_FORM));
    let game = |id: GameId| with_game!(id, G => file(&G::HEADER.path(), G::HEADER.text()));
    [file(BOT_H, bot_h())].into_iter().chain(games.map(game)).collect()
}
