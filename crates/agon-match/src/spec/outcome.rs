//! A match outcome: what the arena returns of a match, as plain data.

use std::collections::BTreeMap;

use agon_core::{BotInfo, Fault, FaultKind, Player, Seed, Standing};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::replay::{BotTotals, End, Void};
use crate::spec::{Digest, SpecError};

/// The version of [`MatchOutcome`]. Another form gets another number.
pub const OUTCOME_VERSION: u32 = 1;

/// A match that has been played.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MatchOutcome {
    /// The version of this form, [`OUTCOME_VERSION`].
    pub version: u32,
    /// The result with faults, and with the costs of bots that have processes. Never void, never
    /// interrupted.
    pub result: MatchResult,
    /// The replay, if one was recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay: Option<Digest>,
    /// Why earlier attempts were void.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub void: Vec<Void>,
    /// How long the match took with the start of its bots, in milliseconds; without void attempts.
    pub ms: u64,
    /// The other machine that has played it; `None` if it was this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<PlayedOn>,
}

/// A machine that has played a match for another one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlayedOn {
    /// The name of the worker.
    pub worker: String,
    /// All limits in CPU time were multiplied by this percentage, because the machine has another
    /// speed than the one for which they are meant.
    pub scale: u32,
}

impl MatchOutcome {
    /// Checks an outcome that another program has written: its version, and that all players of its
    /// result are in its list, which readers take names from.
    pub fn check(&self) -> Result<(), SpecError> {
        if self.version != OUTCOME_VERSION {
            return Err(SpecError(format!(
                "the match outcome has version {}, but this Agon reads version {OUTCOME_VERSION}",
                self.version
            )));
        }
        let MatchResult { players, standing, faults, .. } = &self.result;
        let is_there = |player: &Player| player.index() < players.len();
        let mut winners = standing.outcome.iter().flat_map(|outcome| &outcome.winners);
        let checks = [
            ("result.standing.players", standing.players.len() == players.len()),
            ("result.standing.outcome.winners", winners.all(is_there)),
            ("result.faults", faults.iter().all(|fault| is_there(&fault.player))),
        ];
        let wrong = checks.into_iter().find(|(_, fits)| !fits);
        wrong.map_or(Ok(()), |(key, _)| {
            let players = players.len();
            let text = format!("`{key}` in the match outcome does not fit its {players} players");
            Err(SpecError(text))
        })
    }
}

/// The result of a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MatchResult {
    /// The game's id.
    pub game: String,
    /// The version of its rules.
    pub rules_version: u32,
    /// The seed.
    pub seed: Seed,
    /// Why the match is over.
    pub end: End,
    /// Whether somebody stopped it before its end, so that it counts for nothing.
    pub interrupted: bool,
    /// Whether all bots were asked and none gave a single valid answer, so that the result says
    /// nothing about them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unanswered: bool,
    /// Steps played.
    pub steps: u64,
    /// Turns of the game that are over.
    pub turns: u64,
    /// Answers given.
    pub decisions: u64,
    /// Who played, in order of player number.
    pub players: Vec<PlayerResult>,
    /// How they stand.
    pub standing: Standing,
    /// Faults in detail, in the order in which they happened; of many equal ones only the first.
    pub faults: Vec<Fault>,
    /// How long the arena stood still at most, in milliseconds; `None` if no bot has a clock, and
    /// nothing was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub longest_stall_ms: Option<u64>,
    /// Why the match counts for nothing, if it does: a stall may have cost bots their time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub void: Option<Void>,
    /// Whether bots shared a process, in which they could reach each other.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shared_process: bool,
    /// The hash of the last state.
    #[serde(with = "crate::replay::hex")]
    #[schemars(with = "String")]
    pub state_hash: u64,
}

/// A player of a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlayerResult {
    /// The bot.
    pub bot: BotInfo,
    /// How often it committed which kind of fault, the ones not kept in detail included.
    pub faults: BTreeMap<FaultKind, u64>,
    /// What it cost and how it ended; `None` of bots without a process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub totals: Option<BotTotals>,
    /// Whether it was stopped because of too many timeouts in a row (`--strikes`). The last of its
    /// timeouts in [`MatchResult::faults`] is the one that stopped it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stopped_for_timeouts: bool,
}

impl MatchResult {
    /// The name of a player.
    ///
    /// # Panics
    /// If there is no such player.
    pub fn name(&self, player: Player) -> &str {
        &self.players[player.index()].bot.name
    }

    /// The result in one line: "alice wins: most cells after 500 turns".
    pub fn headline(&self) -> String {
        if let Some(outcome) = &self.standing.outcome {
            return outcome.sentence(|player| self.name(player));
        }
        let how = if self.interrupted { "interrupted" } else { "stopped" };
        let leaders: Vec<&str> =
            self.standing.leaders().into_iter().map(|leader| self.name(leader)).collect();
        format!("{how} before the end, first place: {}", leaders.join(", "))
    }
}
