//! What stands at the beginning of a replay: everything but the answers.

use agon_core::{BotInfo, Game, Seed};
use serde::{Deserialize, Serialize};

/// The header of a replay.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Header {
    /// The game's id.
    pub game: String,
    /// The version of its rules.
    pub rules_version: u32,
    /// The version of Agon that recorded it.
    pub agon: String,
    /// The settings of the match.
    pub rules: serde_json::Value,
    /// The seed.
    pub seed: Seed,
    /// Who plays, in order of player number.
    pub players: Vec<BotInfo>,
    /// The position the match began at, if not at the game's own start.
    pub start: Option<serde_json::Value>,
    /// Steps of an earlier match that led to the start. The bots had been asked in them as well, and counted on:
    /// to them the first step of the file had this number.
    #[serde(default)]
    pub steps_before: u64,
    /// The hash of the first state.
    #[serde(with = "crate::hex")]
    pub state_hash: u64,
}

/// The header as written. Rules and start go to text directly, so that their fields keep their order.
#[derive(Serialize)]
struct HeaderText<'a, G: Game> {
    game: &'static str,
    rules_version: u32,
    agon: &'static str,
    rules: &'a G::Rules,
    seed: Seed,
    players: &'a [BotInfo],
    start: Option<G::Position>,
    #[serde(skip_serializing_if = "is_zero")]
    steps_before: u64,
    #[serde(with = "crate::hex")]
    state_hash: u64,
}

/// The JSON text of a match's header.
pub(crate) fn header_text<G: Game>(
    game: &G,
    players: &[BotInfo],
    steps_before: u64,
) -> Result<Vec<u8>, serde_json::Error> {
    let at_start = G::new(game.rules(), game.players(), game.seed()).is_ok_and(|start| start == *game);
    serde_json::to_vec(&HeaderText::<G> {
        game: G::META.id,
        rules_version: G::META.rules_version,
        agon: env!("CARGO_PKG_VERSION"),
        rules: game.rules(),
        seed: game.seed(),
        players,
        start: (!at_start).then(|| game.position()),
        steps_before,
        state_hash: game.state_hash(),
    })
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}
