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
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AnswerLine<'a, A> {
    /// The player who decided.
    pub player: Player,
    /// The unit that the decision was for.
    pub unit: u32,
    /// The answer.
    pub answer: &'a A,
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

/// Writes every state as a line of JSON.
///
/// A line has step, turn, position, the answers given on the state, standing and state hash.
///
/// # Errors
/// If the replay cannot be read to its end, or the output cannot be written. The lines before
/// are good.
pub fn states<G: Game>(replay: &Replay, out: &mut impl Write) -> Result<(), ExportError> {
    let mut cursor = replay.cursor::<G>()?;
    loop {
        write_line(&cursor.frame()?, out)?;
        if !cursor.advance()? {
            return Ok(());
        }
    }
}

/// Writes the line of the state after `step` steps.
pub fn state<G: Game>(replay: &Replay, step: u64, out: &mut impl Write) -> Result<(), ExportError> {
    let mut cursor = replay.cursor::<G>()?;
    cursor.seek(step)?;
    Ok(write_line(&cursor.frame()?, out)?)
}

fn write_line<G: Game>(frame: &ReplayState<'_, G>, out: &mut impl Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, &line(frame))?;
    out.write_all(b"\n")
}

fn line<'a, G: Game>(frame: &ReplayState<'a, G>) -> StateLine<'a, G> {
    let pair = |(&Decision { player, unit }, answer)| AnswerLine { player, unit, answer };
    StateLine {
        step: frame.step,
        turn: frame.game.progress().turn,
        position: frame.game.position(),
        answers: frame.game.decisions().iter().zip(frame.given).map(pair).collect(),
        standing: frame.game.standing(),
        state_hash: frame.game.state_hash(),
    }
}

/// Plays a recorded match again, and compares it with the replay, as [`Replay::verify`] does.
///
/// The game is known at run time; what plays it again is compiled here, once.
pub fn verify(replay: &Replay, game: GameId) -> Verdict {
    with_game!(game, G => replay.verify::<G>())
}

/// Writes a line of JSON for every state, or only for the state after `step` steps.
///
/// Control characters are escaped, because people look at the lines in terminals.
pub fn write_states(
    replay: &Replay,
    game: GameId,
    step: Option<u64>,
    out: &mut dyn Write,
) -> Result<(), ExportError> {
    let mut out = EscapeWriter::new(out);
    with_game!(game, G => match step {
        Some(step) => state::<G>(replay, step, &mut out),
        None => states::<G>(replay, &mut out),
    })
}
