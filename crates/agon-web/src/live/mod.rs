//! Matches on their way from the arena to a page, as a stream of [messages](agon_page::message).
//!
//! What a person does about a question goes back as JSON: [`Orders`].

#![warn(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap,
    clippy::cast_lossless,
    reason = "messages are foreign bytes, whose numbers must not change unnoticed"
)]

#[cfg(feature = "viewer")]
mod receiver;
#[cfg(feature = "viewer")]
mod remote_prompts;
mod sender;

use agon_games::human::Gesture;
use serde::{Deserialize, Serialize};

pub use agon_page::{
    Question,
    message::{closed, end, question},
};
#[cfg(feature = "viewer")]
pub use receiver::LiveError;
#[cfg(feature = "viewer")]
pub(crate) use receiver::Receiver;
pub use sender::{begin, step};

/// What a person does about a question, from the first act on; the last one gives the orders.
///
/// Acts and not answers, so that the arena makes up the orders as a window does: nothing can be
/// ordered that a person could not, and they hold for later batches of the same turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Orders {
    /// Which question of the match is meant.
    pub question: u64,
    /// What the person did.
    pub acts: Vec<Gesture>,
}
