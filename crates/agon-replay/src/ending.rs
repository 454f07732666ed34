//! How a match ended.

use agon_core::{FaultKind, Player, Standing};
use serde::{Deserialize, Serialize};

/// Why a match is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// The rules ended it.
    Over,
    /// It was set to end after this many steps or turns.
    Limit,
    /// Somebody stopped it.
    Interrupted,
}

/// How often a player's bot committed one kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FaultTally {
    /// Whose bot.
    pub player: Player,
    /// The kind of fault.
    pub kind: FaultKind,
    /// How often.
    pub count: u64,
}

/// The end of a replay.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ending {
    /// Why the match is over.
    pub end: End,
    /// Steps played.
    pub steps: u64,
    /// Turns of the game that are over.
    pub turns: u64,
    /// Answers given.
    pub decisions: u64,
    /// How the players stand.
    pub standing: Standing,
    /// All faults by player and kind, the ones that are not kept in detail included.
    pub faults: Vec<FaultTally>,
    /// The hash of the last state.
    #[serde(with = "crate::hex")]
    pub state_hash: u64,
}
