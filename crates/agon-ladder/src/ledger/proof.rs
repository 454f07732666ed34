//! Compares a match with the log: its replay is played again, and must lead to the logged result.

use std::collections::BTreeMap;

use agon_games::GameId;
use agon_match::replay::{Damage, Replay, Verdict};
use agon_match::spec::Digest;
use serde::Deserialize;
use serde_json::Value;

use crate::ledger::{FinalTerms, HandedIn, Played};

/// The terms of an arena, as far as a match must keep to them.
#[derive(Clone, Debug, Deserialize)]
pub struct Terms {
    /// The game.
    pub game: String,
    /// The version of its rules.
    pub rules_version: u32,
    /// Its settings.
    pub rules: Value,
    /// How bots are run, as the server wrote it.
    #[serde(default)]
    pub matches: Value,
    /// How many bots play in a match.
    pub players: usize,
    /// Its final, if it has one.
    #[serde(default)]
    pub finals: Option<FinalTerms>,
    /// The rest.
    #[serde(flatten)]
    pub rest: BTreeMap<String, Value>,
}

/// A match that was played again, as the log says.
#[derive(Clone, Copy, Debug)]
pub struct Proven<'a> {
    /// The match in the log.
    pub played: &'a Played,
    /// The terms of its arena.
    pub terms: &'a Terms,
    /// The game.
    pub game: GameId,
    /// Its replay.
    pub replay: &'a Replay,
    /// The versions with the files that were asked for.
    pub same_files: &'a [HandedIn],
}

/// How a match differs from the log.
#[derive(Debug)]
pub(crate) enum Difference {
    OtherRules,
    Found(String),
}

/// Compares a replay with what the log says of its match, and plays it again.
pub(crate) fn prove(
    bytes: &[u8],
    played: &Played,
    terms: &Terms,
) -> Result<(GameId, Replay), Difference> {
    let Played { pairing, record, .. } = played;
    let found = |what: &str| Difference::Found(what.to_owned());
    let replay =
        Replay::open(bytes).map_err(|error| Difference::Found(format!("its replay: {error}")))?;
    if record_digest(&replay).ok() != Some(record.record) {
        return Err(found("its replay is not the one of the log"));
    }
    let header = replay.header();
    let rules: Option<Value> = serde_json::from_str(header.rules.get()).ok();
    if header.game != terms.game || rules.as_ref() != Some(&terms.rules) {
        return Err(found("it was played with other settings than the arena's"));
    }
    if !pairing.has_seed(played.arena, header.seed.number()) {
        return Err(found("it was played with another seed than planned"));
    }
    if header.players.len() != pairing.versions.len() {
        return Err(found("others played than planned"));
    }
    let Ok(game) = terms.game.parse::<GameId>() else { return Err(Difference::OtherRules) };
    if game.meta().rules_version != header.rules_version {
        return Err(Difference::OtherRules);
    }
    match agon_match::verify(&replay, game) {
        Verdict::Proven { .. } => {}
        Verdict::Unproven { reason, .. } => {
            return Err(Difference::Found(format!("played again, it differs: {reason}")));
        }
    }
    let result = replay.result().ok_or_else(|| found("its replay has no result"))?;
    let places: Vec<u32> = result.standing.players.iter().map(|player| player.place).collect();
    let state_hash = format!("{:#018x}", result.state_hash);
    if places != record.places || state_hash != record.state_hash || result.steps != record.steps {
        return Err(found("its result is not the one of the log"));
    }
    Ok((game, replay))
}

/// Returns the digest of what a replay says of its match: rules, seed, answers, states, result.
///
/// It leaves out what a server shows to some people only ([`Replay::redacted`]), and the names of
/// the bots, which are others for people ([`Replay::renamed`]).
///
/// # Errors
/// If the replay is damaged.
pub fn record_digest(replay: &Replay) -> Result<Digest, Damage> {
    Ok(Digest::of(&replay.record()?))
}
