//! Verifies the replay of any game, and writes its states as JSON Lines for other programs.
//!
//! `agon replay verify` and `agon replay export` call it.

use std::io::{self, Write};

use agon_core::{Decision, Game, Player, Standing, text::EscapeWriter};
use agon_games::{GameId, with_game};
use serde::Serialize;
use thiserror::Error;

use crate::replay::{ReadError, Replay, ReplayState, Verdict};

/// The reason why an export stopped.
#[derive(Debug, Error)]
pub enum ExportError {
    /// The replay cannot be read further.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The output cannot be written.
    #[error("cannot write: {0}")]
    Io(#[from] io::Error),
}

/// An answer with its decision.
#[derive(Serialize)]
struct AnswerLine<'a, A> {
    player: Player,
    unit: u32,
    answer: &'a A,
}

/// One line of the export: a state.
#[derive(Serialize)]
struct StateLine<'a, G: Game> {
    step: u64,
    turn: u64,
    position: G::Position,
    answers: Vec<AnswerLine<'a, G::Answer>>,
    standing: Standing,
    #[serde(with = "crate::replay::hex")]
    state_hash: u64,
}

/// Plays a recorded match again, and compares it with the replay, as [`Replay::verify`] does.
///
/// The game is known at run time; what plays it again is compiled here, once.
pub fn verify(replay: &Replay, game: GameId) -> Verdict {
    with_game!(game, G => replay.verify::<G>())
}

/// Writes a line of JSON for every state, or only for the state after `step` steps.
///
/// A line has step, turn, position, the answers given on the state, standing and state hash.
/// Control characters are escaped, because people look at the lines in terminals.
///
/// # Errors
/// If the replay cannot be read to its end, or the output cannot be written. The lines before
/// are good.
pub fn write_states(
    replay: &Replay,
    game: GameId,
    step: Option<u64>,
    out: &mut dyn Write,
) -> Result<(), ExportError> {
    let mut out = EscapeWriter::new(out);
    with_game!(game, G => states::<G>(replay, step, &mut out))
}

/// Does what [`write_states`] does, for one game, and escapes nothing.
pub fn states<G: Game>(
    replay: &Replay,
    step: Option<u64>,
    out: &mut impl Write,
) -> Result<(), ExportError> {
    let mut cursor = replay.cursor::<G>()?;
    if let Some(step) = step {
        cursor.seek(step)?;
    }
    loop {
        let ReplayState { step: number, game, given } = cursor.frame()?;
        let pair = |(&Decision { player, unit }, answer)| AnswerLine { player, unit, answer };
        let line = StateLine::<G> {
            step: number,
            turn: game.progress().turn,
            position: game.position(),
            answers: game.decisions().iter().zip(given).map(pair).collect(),
            standing: game.standing(),
            state_hash: game.state_hash(),
        };
        serde_json::to_writer(&mut *out, &line).map_err(io::Error::from)?;
        out.write_all(b"\n")?;
        if step.is_some() || !cursor.advance()? {
            return Ok(());
        }
    }
}
