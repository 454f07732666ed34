//! The referee: a game and its bots become a result and a replay.
//!
//! [`Match`] plays one match; [`Scenario`] plays scripted answers from any state; [`pin`] keeps a match and the
//! programs in it on one core.

mod faults;
mod ledger;
pub mod pin;
mod referee;
mod result;
pub mod scenario;
mod seat;

pub use faults::FaultBook;
pub use ledger::TurnNote;
pub use referee::{Control, Match, MatchError, MatchOptions, Moment, Played};
pub use result::{MatchResult, PlayerResult};
pub use scenario::{Scenario, ScenarioError};
