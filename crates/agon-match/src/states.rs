//! Writes the states of a replay of any game as JSON Lines.
//!
//! `agon replay export --states` calls it. It stands here, and not with the command, so that it is
//! compiled for all games in this crate: the program itself is hardly optimised.

use std::io::Write;

use agon_games::{GameId, with_game};
use agon_replay::{
    Replay,
    export::{self, ExportError},
};
use agon_text::EscapeWriter;

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
