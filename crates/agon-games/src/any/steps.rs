//! Turns the answers that a caller of [`AnyGame`](super::AnyGame) gives for a step into the game's
//! own answers: JSON answers, replies, numbers of actions, or flat memory. Checks that there is one
//! for each decision.

use std::ops::Range;

use agon_core::{Decision, Game, LegalActions, Player, runs_by_player};
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use crate::{
    batch::{Batch, Unusable},
    jsonl::JsonGame,
};

use super::AnyGameError;

/// The range of a player's decisions in the batch.
pub(super) fn range_of<G: Game>(game: &G, player: Player) -> Result<Range<usize>, AnyGameError> {
    require_player(game, player)?;
    let mut runs = runs_by_player(game.decisions());
    let run = runs.find(|(other, _)| *other == player).map(|(_, range)| range);
    run.ok_or(AnyGameError::NotAsked(player))
}

/// Checks that the match has such a player.
pub(super) fn require_player<G: Game>(game: &G, player: Player) -> Result<(), AnyGameError> {
    if player.index() < game.players() {
        return Ok(());
    }
    Err(AnyGameError::NoPlayer { player, last: Player::from_index(game.players() - 1) })
}

/// Checks that a decision is wanted now.
pub(super) fn require_decision<G: Game>(game: &G, decision: Decision) -> Result<(), AnyGameError> {
    match game.decisions().binary_search(&decision) {
        Ok(_) => Ok(()),
        Err(_) => Err(AnyGameError::NotWanted(decision)),
    }
}

/// Checks the number of things given for a step. If none are wanted, the game is over.
fn require_count(what: &'static str, expected: usize, given: usize) -> Result<(), AnyGameError> {
    if expected == 0 {
        return Err(AnyGameError::Over);
    }
    if given != expected {
        return Err(AnyGameError::Count { what, expected, given });
    }
    Ok(())
}

/// Reads one answer, or one reply, from its JSON.
pub(super) fn read_answer<T: DeserializeOwned>(
    decision: Decision,
    text: &str,
) -> Result<T, AnyGameError> {
    serde_json::from_str(text)
        .map_err(|error| AnyGameError::Answer { decision, reason: error.to_string() })
}

/// Reads a JSON list of `T`, one per decision.
fn read_list<G: Game, T: DeserializeOwned>(game: &G, text: &str) -> Result<Vec<T>, AnyGameError> {
    let list: Vec<&RawValue> =
        serde_json::from_str(text).map_err(|error| AnyGameError::Answers(error.to_string()))?;
    require_count("answers", game.decisions().len(), list.len())?;

    let read = |(&decision, text): (&Decision, &RawValue)| read_answer(decision, text.get());
    game.decisions().iter().zip(list).map(read).collect()
}

/// Reads a list of answers in the JSON form of [`Game::Answer`].
pub(super) fn from_json<G: Game>(game: &G, text: &str) -> Result<Vec<G::Answer>, AnyGameError> {
    read_list(game, text)
}

/// Reads a list of replies; `null` stands for no reply.
pub(super) fn from_replies<G: JsonGame>(
    game: &G,
    text: &str,
) -> Result<Vec<G::Answer>, AnyGameError> {
    let replies: Vec<Option<G::Reply>> = read_list(game, text)?;
    let answer = |reply: Option<G::Reply>| reply.map_or_else(G::Answer::default, G::answer_from);
    Ok(replies.into_iter().map(answer).collect())
}

/// Makes answers of actions, a list for each decision.
pub(super) fn from_actions<G: LegalActions>(
    game: &G,
    actions: &[Vec<usize>],
) -> Result<Vec<G::Answer>, AnyGameError> {
    require_count("lists of actions", game.decisions().len(), actions.len())?;
    let answer = |(&decision, actions): (&Decision, &Vec<usize>)| {
        game.answer_of(decision, actions).map_err(|error| AnyGameError::Actions { decision, error })
    };
    game.decisions().iter().zip(actions).map(answer).collect()
}

/// One answer per decision, and the reasons for the unusable ones.
pub(super) type Received<A> = (Vec<A>, Vec<(Decision, Unusable)>);

/// Reads answers from flat memory, one message per deciding player.
pub(super) fn from_bytes<G: Batch>(
    game: &G,
    messages: &[&[u8]],
) -> Result<Received<G::Answer>, AnyGameError> {
    let decisions = game.decisions();
    require_count("messages", runs_by_player(decisions).count(), messages.len())?;

    let mut answers = vec![G::Answer::default(); decisions.len()];
    let mut unusable = Vec::new();
    for ((_, range), message) in runs_by_player(decisions).zip(messages) {
        let own = &decisions[range.clone()];
        game.read_answers(own, message, &mut answers[range], &mut |index, why| {
            unusable.push((own[index], why));
        });
    }
    Ok((answers, unusable))
}
