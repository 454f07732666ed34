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
mod played;
mod referee;
mod replay_session;
mod round;
pub mod scenario;
mod seat;
pub mod spec;
mod stall;
mod states;
mod strikes;
mod times;
mod verify;
mod void;
mod waiting;

pub use agon_replay::Void;
pub use cost_tracker::TurnNote;
pub use faults::FaultBook;
pub use observer::{Control, FanOut, MatchEvent, Observer, ObserverError};
pub use played::Played;
pub use referee::{Match, MatchError, MatchOptions};
pub use replay_session::{Agreement, AnswerListener, Compared, ReplaySession};

pub use scenario::{Scenario, ScenarioError};
pub use spec::{MatchResult, PlayerResult};
pub use states::write_states;
pub use strikes::STOPPED_FOR_TIMEOUTS;
pub use verify::verify;
pub use void::{Suspect, VOID_STALL, VOID_STALL_WITH_TIMEOUT};
pub use waiting::{AwaitedBot, Waiting};
