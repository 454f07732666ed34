//! The end of a match, as a replay keeps it: its reason, the standing, and the number of faults.

use std::fmt;

use agon_core::text::escape;
use agon_core::{FaultKind, Player, Standing};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The reason why a match is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// The rules ended it.
    Over,
    /// It was set to end after this many steps or turns.
    Limit,
    /// A person or an observer stopped it.
    Interrupted,
}

/// The reason why a match does not count: a stall of the machine that it was played on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum Void {
    /// It stood still for so long that no bot had its time.
    Stall {
        /// The length of the stall in milliseconds.
        stall_ms: u64,
    },
    /// A bot was late in a step in which the machine stood still.
    Timeout {
        /// The length of the stall in milliseconds.
        stall_ms: u64,
        /// The step of the match.
        step: u64,
    },
}

impl fmt::Display for Void {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Void::Stall { stall_ms } => write!(f, "the arena stood still for {stall_ms} ms"),
            Void::Timeout { stall_ms, step } => {
                write!(
                    f,
                    "the arena stood still for {stall_ms} ms in step {step}, in which a bot was \
                     late"
                )
            }
        }
    }
}

/// The number of faults of one kind by a player's bot.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
pub struct FaultTally {
    /// The bot's player.
    pub player: Player,
    /// The kind of fault.
    pub kind: FaultKind,
    /// The number of faults.
    pub count: u64,
}

/// The end of a replay.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Ending {
    /// The reason why the match is over.
    pub end: End,
    /// Steps played.
    pub steps: u64,
    /// Completed turns of the game.
    pub turns: u64,
    /// Answers given.
    pub decisions: u64,
    /// The standing of the players.
    pub standing: Standing,
    /// All faults by player and kind, including those without details.
    pub faults: Vec<FaultTally>,
    /// The reason why it does not count, if it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub void: Option<Void>,
    /// The hash of the last state.
    #[serde(with = "crate::replay::hex")]
    #[schemars(with = "String")]
    pub state_hash: u64,
}

impl Ending {
    /// Escapes invisible characters in all texts.
    pub(crate) fn escape(&mut self) {
        let measures = self.standing.players.iter_mut().flat_map(|player| &mut player.measures);
        measures.for_each(|(name, _)| *name = escape(name).into_owned());
        if let Some(outcome) = &mut self.standing.outcome {
            outcome.reason = escape(&outcome.reason).into_owned();
        }
    }
}
