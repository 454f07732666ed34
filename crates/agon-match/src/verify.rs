//! Verifies the replay of any game, for `agon replay verify`.

use agon_games::{GameId, with_game};
use agon_replay::{Replay, Verdict};

/// Plays a recorded match again, and compares it with the replay, as [`Replay::verify`] does.
///
/// The game is known at run time; what plays it again is compiled here, once.
pub fn verify(replay: &Replay, game: GameId) -> Verdict {
    with_game!(game, G => replay.verify::<G>())
}
