//! Matches: as plain data, and the referee, who makes of a game and its bots a result and a replay.
//!
//! [`spec`] has the data: what is to be played, and what came of it. [`bot`] is what the referee
//! and the hosts of bots share.
//!
//! [`Match`] plays one match, which [`Observer`]s watch. [`ReplaySession`] plays a recorded match
//! again and asks other bots the recorded questions. [`Scenario`] plays scripted answers from any
//! state. [`pin`] keeps a match and its programs on one core. `agon-arena` plays matches with this
//! crate, for `agon play`, tournaments and comparisons.

pub mod bot;
mod cost_tracker;
mod faults;
mod observer;
pub mod pin;
mod referee;
pub mod replay;
mod replay_session;
mod round;
pub mod scenario;
mod seat;
pub mod spec;
mod void;

pub use cost_tracker::TurnNote;
pub use faults::FaultBook;
pub use observer::{Control, FanOut, MatchEvent, Observer, ObserverError, Played};
pub use referee::{Match, MatchError, MatchOptions};
pub use replay_session::{Agreement, Compared, ReplaySession};
pub use round::{AwaitedBot, Waiting};
pub use scenario::Scenario;
pub use seat::panic_message;
pub use spec::{MatchResult, PlayerResult};
pub use void::{Suspect, VOID_STALL, VOID_STALL_WITH_TIMEOUT};

pub use crate::replay::Void;
pub use crate::replay::export::write_states;
