//! What an outcome says, as a digest: two plays of a match agree if it is equal.

use std::collections::BTreeMap;

use agon_core::{Codec, FaultKind, Game, Seed, Standing};
use agon_games::{GameId, with_game};
use agon_replay::{End, Replay};
use agon_spec::{Digest, MatchOutcome};
use serde::Serialize;

/// All of an outcome but what differs each time: costs, times, and what bots wrote.
#[derive(Serialize)]
struct Said<'a> {
    seed: Seed,
    end: &'a End,
    unanswered: bool,
    steps: u64,
    turns: u64,
    decisions: u64,
    standing: &'a Standing,
    faults: Vec<&'a BTreeMap<FaultKind, u64>>,
    state_hash: u64,
    /// The digest of all answers in the replay.
    answers: Option<Digest>,
}

/// Returns the digest of what an outcome and its replay say.
///
/// # Errors
/// If the answers in the replay cannot be read.
pub(super) fn said(
    game: GameId,
    outcome: &MatchOutcome,
    replay: Option<&[u8]>,
) -> Result<Digest, String> {
    let answers = replay.map(|bytes| answers(game, bytes)).transpose()?;
    let result = &outcome.result;
    let said = Said {
        seed: result.seed,
        end: &result.end,
        unanswered: result.unanswered,
        steps: result.steps,
        turns: result.turns,
        decisions: result.decisions,
        standing: &result.standing,
        faults: result.players.iter().map(|player| &player.faults).collect(),
        state_hash: result.state_hash,
        answers,
    };
    Ok(Digest::of(&serde_json::to_vec(&said).expect("it can be written as JSON")))
}

/// Returns the digest of all answers in a replay. The bytes of the file depend on the library that
/// has packed them.
fn answers(game: GameId, replay: &[u8]) -> Result<Digest, String> {
    let replay = Replay::open(replay).map_err(|error| error.to_string())?;
    if replay.header().game != game.meta().id {
        return Err("its replay is of another game".to_owned());
    }
    let mut all = Vec::new();
    let read = with_game!(game, G => replay.visit_answers::<<G as Game>::Answer>(|_, answers| {
        Codec::encode_all(answers, &mut all);
    }));
    read.map_err(|error| error.to_string())?;
    Ok(Digest::of(&all))
}
