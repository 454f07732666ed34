//! Live matches on their way from the arena to a page, as a stream of messages.
//!
//! `sender` is the arena's side, `receiver` the page's. [Messages](crate::page::message) have a
//! kind and contents. A person's actions on a question go back as JSON: [`Orders`].

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

pub use crate::page::{
    Question,
    message::{closed, end, question},
};
#[cfg(feature = "viewer")]
pub use receiver::LiveError;
#[cfg(feature = "viewer")]
pub(crate) use receiver::Receiver;
pub use sender::{begin, step};

/// A person's gestures on a question, from the first one on; the last one gives the orders.
///
/// They are gestures and not answers, so that the arena composes the orders as a window does. So
/// nobody can order anything that a person at a window could not. The orders also hold for later
/// batches of the same turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Orders {
    /// The number of the question in the match.
    pub question: u64,
    /// The person's gestures.
    pub acts: Vec<Gesture>,
}
