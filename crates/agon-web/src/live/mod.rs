//! Matches on their way from the arena to a page, as a stream of messages.
//!
//! A message is a byte for its kind, the length of its contents (four bytes, lowest first), and the contents:
//!
//! | kind | contents |
//! | --- | --- |
//! | 1: begin | the beginning of the match's replay: magic, version and header (`docs/replay-format.md`) |
//! | 2: step | how many answers there are (varint), the answers as in replays, the hash of the state that they lead to (eight bytes, lowest first) |
//! | 3: end | nothing: the match is over |
//! | 4: question | JSON: [`Question`] |
//! | 5: closed | nothing: the question does not wait any more |
//!
//! A match that is void and played again begins again with kind 1, and so does one that has become too long to be kept,
//! as it is then: `steps_before` in its header counts the steps that are not told any more. What a page that comes late gets first is all
//! messages since the last beginning; of questions only the one that waits.
//!
//! What a person does about a question goes back as JSON: [`Orders`].

mod receiver;
mod remote;
mod sender;

use agon_core::Player;
use agon_games::hand::Act;
use serde::{Deserialize, Serialize};

pub use receiver::LiveError;
pub(crate) use receiver::Receiver;
pub use sender::{begin, closed, end, question, step};

/// A match begins.
pub(crate) const BEGIN: u8 = 1;
/// It goes on by a step.
pub(crate) const STEP: u8 = 2;
/// It is over.
pub(crate) const END: u8 = 3;
/// A person is asked.
pub(crate) const QUESTION: u8 = 4;
/// The question does not wait any more.
pub(crate) const CLOSED: u8 = 5;

/// Bytes before a message's contents.
pub(crate) const HEAD: usize = 5;

/// A person is asked for the orders of a player, for all of its decisions in the newest state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// Which question of the match it is.
    pub question: u64,
    /// Steps before the state that it is about.
    pub step: u64,
    /// The player.
    pub player: Player,
    /// For how many milliseconds it still waits; `None` for as long as it takes.
    pub left_ms: Option<u64>,
}

/// What a person does about a question, from the first act on; the last one gives the orders.
///
/// Acts and not answers, so that the arena makes up the orders as a window does: nothing can be ordered that a person
/// could not, and they hold for later batches of the same turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Orders {
    /// Which question of the match is meant.
    pub question: u64,
    /// What the person did.
    pub acts: Vec<Act>,
}
