//! Matches on their way from the arena to a page, as a stream of messages.
//!
//! A message is a byte for its kind, the length of its contents (four bytes, lowest first), and the contents:
//!
//! | kind | contents |
//! | --- | --- |
//! | 1: begin | the beginning of the match's replay: magic, version and header (`docs/replay-format.md`) |
//! | 2: step | how many answers there are (varint), the answers as in replays, the hash of the state that they lead to (eight bytes, lowest first) |
//! | 3: end | nothing: the match is over |
//!
//! A match that is void and played again begins again with kind 1. What a page that comes late gets first is all
//! messages since the last beginning.

mod receiver;
mod sender;

pub use receiver::LiveError;
pub(crate) use receiver::Receiver;
pub use sender::{begin, end, step};

/// A match begins.
pub(crate) const BEGIN: u8 = 1;
/// It goes on by a step.
pub(crate) const STEP: u8 = 2;
/// It is over.
pub(crate) const END: u8 = 3;

/// Bytes before a message's contents.
pub(crate) const HEAD: usize = 5;
