//! What an outcome says, as a digest: two plays of a match agree if it is equal.

use std::collections::BTreeMap;

use agon_core::{Codec, FaultKind, Game, Seed, Standing};
use agon_games::{GameId, with_game};
use agon_replay::{End, Replay};
use agon_spec::{Digest, MatchOutcome, MatchResult};
use serde::Serialize;

/// So many bytes of answers are digested at a time.
const BLOCK: usize = 1 << 20;

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
    let result = &outcome.result;
    let answers = replay.map(|bytes| answers(game, result, bytes)).transpose()?;
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
fn answers(game: GameId, result: &MatchResult, replay: &[u8]) -> Result<Digest, String> {
    let replay = Replay::open(replay).map_err(|error| error.to_string())?;
    let header = replay.header();
    let names = header.players.iter().map(|bot| bot.name.as_str());
    let players = result.players.iter().map(|player| player.bot.name.as_str());
    let is_same = header.game == game.meta().id
        && header.rules_version == result.rules_version
        && header.seed == result.seed
        && names.eq(players);
    if !is_same {
        return Err("its replay is of another match".to_owned());
    }
    // Block by block: a volunteer's replay may be made to need much memory.
    let mut digest = Digest::of(&[]);
    let mut bytes = Vec::new();
    let read = with_game!(game, G => replay.visit_answers::<<G as Game>::Answer>(|_, answers| {
        Codec::encode_all(answers, &mut bytes);
        if bytes.len() > BLOCK {
            digest = chained(digest, &mut bytes);
        }
    }));
    read.map_err(|error| error.to_string())?;
    Ok(chained(digest, &mut bytes))
}

/// Returns the digest of a digest and the bytes after it, which are removed.
fn chained(digest: Digest, bytes: &mut Vec<u8>) -> Digest {
    let mut text = digest.to_string().into_bytes();
    text.append(bytes);
    Digest::of(&text)
}
