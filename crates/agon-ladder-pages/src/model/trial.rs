//! A trial match of what is in the editor.

use super::{ArenaHead, Fault, Log, MatchSeat};

/// How far a trial match is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum TrialState {
    /// It waits; how many are before it.
    Queued(u64),
    /// The bot is being built.
    #[default]
    Building,
    /// It is being played.
    Playing,
    /// It is over.
    Over,
    /// It could not be played; the reason.
    Failed(String),
}

/// The page of a trial match.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trial {
    /// The arena.
    pub arena: ArenaHead,
    /// Its identifier in addresses.
    pub id: String,
    /// How far it is.
    pub state: TrialState,
    /// Turns played, of how many at most (0: unknown).
    pub progress: (u64, u64),
    /// Its bots; that of the author has `own`.
    pub seats: Vec<MatchSeat>,
    /// Faults, in order.
    pub faults: Vec<Fault>,
    /// How many faults are not listed.
    pub more_faults: u64,
    /// Output of the build.
    pub build: Option<Log>,
    /// stderr of the author's bot.
    pub stderr: Option<Log>,
    /// The address of the replay; empty if there is none.
    pub replay: String,
    /// The language.
    pub language: String,
    /// The name that a first bot gets, unless its author changes it.
    pub name: String,
    /// What changed, as it was typed in the editor.
    pub message: String,
    /// Why the editor did not open the latest version, which this bot would replace.
    pub replaces: Option<String>,
    /// Whether "Hand in this bot" is possible.
    pub can_hand_in: bool,
}

impl Trial {
    /// Returns whether the page will still change.
    pub fn is_live(&self) -> bool {
        !matches!(self.state, TrialState::Over | TrialState::Failed(_))
    }
}
