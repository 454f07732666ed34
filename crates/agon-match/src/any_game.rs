//! Verifies the replay of any game, for `agon replay verify`.

use std::io::Write;

use crate::replay::{
    Replay, Verdict,
    export::{self, ExportError},
};
use agon_core::text::EscapeWriter;
use agon_games::{GameId, with_game};

/// Plays a recorded match again, and compares it with the replay, as [`Replay::verify`] does.
///
/// The game is known at run time; what plays it again is compiled here, once.
pub fn verify(replay: &Replay, game: GameId) -> Verdict {
    with_game!(game, G => replay.verify::<G>())
}

/// Writes a line of JSON for every state, or only for the state after `step` steps.
///
/// Control characters are escaped, because people look at the lines in terminals.
///
/// # Errors
/// If the replay is not of this game or cannot be read, there is no such step, or the output cannot
/// be written.
pub fn write_states(
    replay: &Replay,
    game: GameId,
    step: Option<u64>,
    out: &mut dyn Write,
) -> Result<(), ExportError> {
    let mut out = EscapeWriter::new(out);
    with_game!(game, G => match step {
        Some(step) => export::state::<G>(replay, step, &mut out),
        None => export::states::<G>(replay, &mut out),
    })
}
