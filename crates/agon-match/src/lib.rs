//! The referee: a game and its bots become a result and a replay.
//!
//! [`Match`] plays one match; [`Again`] plays a recorded one again and asks bots what was asked
//! then; [`Scenario`] plays scripted answers from any state; [`pin`] keeps a match and the programs
//! in it on one core.

mod again;
mod faults;
mod ledger;
pub mod pin;
mod referee;
mod result;
mod round;
pub mod scenario;
mod seat;
mod stall;
mod times;
mod void;

pub use again::{Again, Agreement, Compared};
pub use agon_replay::Void;
pub use faults::FaultBook;
pub use ledger::TurnNote;
pub use referee::{Control, Match, MatchError, MatchOptions, Moment, Played};
pub use result::{MatchResult, PlayerResult};
pub use scenario::{Scenario, ScenarioError};
pub use void::{VOID_STALL, VOID_STALL_WITH_TIMEOUT};
