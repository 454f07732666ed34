//! The list of generated files: C headers for bots, and Rust records for the starter kit. `cargo
//! xtask generate` writes them, and a test compares them with the repository.

use crate::{
    GameId,
    batch::{BOT_H, Batch, bot_h, rust_front},
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

/// All generated files.
pub fn files() -> Vec<Generated> {
    [headers(), rust()].concat()
}

/// The games with records of their own.
fn games() -> impl Iterator<Item = GameId> {
    GameId::ALL.into_iter().filter(|&id| with_game!(id, G => G::HAS_OWN_FORM))
}

/// The C headers.
fn headers() -> Vec<Generated> {
    let file = |name: &str, text| Generated { path: format!("include/{name}"), text };
    let game = |id: GameId| with_game!(id, G => file(&G::HEADER.path(), G::HEADER.text()));
    [file(BOT_H, bot_h())].into_iter().chain(games().map(game)).collect()
}

/// The records in Rust, for the starter kit.
fn rust() -> Vec<Generated> {
    let file =
        |path: &str, text| Generated { path: format!("../../starter-kits/rust/{path}"), text };
    let game = |id: GameId| {
        with_game!(id, G => {
            file(&format!("games/{id}/src/agon/records.rs"), G::HEADER.rust())
        })
    };
    [file("common/src/agon/front.rs", rust_front())].into_iter().chain(games().map(game)).collect()
}
