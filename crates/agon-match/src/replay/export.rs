//! Writes the states of a replay as JSON Lines for other programs, for `agon replay export`.

use std::io::{self, Write};

use agon_core::{Decision, Player, Standing, text::EscapeWriter};
use agon_games::any::GameKind;
use serde::Serialize;
use serde_json::{Value, value::RawValue};
use thiserror::Error;

use crate::replay::{ReadError, Replay, ReplayState};

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
struct AnswerLine {
    player: Player,
    unit: u32,
    answer: Value,
}

/// One line of the export: a state.
#[derive(Serialize)]
struct StateLine {
    step: u64,
    turn: u64,
    position: Box<RawValue>,
    answers: Vec<AnswerLine>,
    standing: Standing,
    #[serde(with = "crate::replay::hex")]
    state_hash: u64,
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
    kind: &'static dyn GameKind,
    step: Option<u64>,
    out: &mut dyn Write,
) -> Result<(), ExportError> {
    let mut out = EscapeWriter::new(out);
    let mut cursor = replay.cursor(kind)?;
    if let Some(step) = step {
        cursor.seek(step)?;
    }
    loop {
        let ReplayState { step: number, game, given } = cursor.frame()?;
        let line = |(at, &Decision { player, unit }): (usize, &Decision)| AnswerLine {
            player,
            unit,
            answer: given.json(at),
        };
        let decisions = game.decisions().iter().take(given.len());
        let position = RawValue::from_string(game.position_json());
        let line = StateLine {
            step: number,
            turn: game.progress().turn,
            position: position.map_err(io::Error::from)?,
            answers: decisions.enumerate().map(line).collect(),
            standing: game.standing(),
            state_hash: game.state_hash(),
        };
        serde_json::to_writer(&mut out, &line).map_err(io::Error::from)?;
        out.write_all(b"\n")?;
        if step.is_some() || !cursor.advance()? {
            return Ok(());
        }
    }
}
