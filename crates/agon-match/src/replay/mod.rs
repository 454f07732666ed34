//! The replay file, from which a match can be played again and verified.
//!
//! A replay holds rules, seed and answers, with a check of every state, instead of pictures of
//! states. A viewer plays the match again. [`Writer`] records a match, [`Replay`] opens a file,
//! [`Cursor`] steps through its states. [`Replay::verify`] verifies it, [`export`] turns it into
//! text. All games share one format; `docs/replay-format.md` describes every byte.

#![warn(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap,
    clippy::cast_lossless,
    reason = "replays are foreign bytes, whose numbers must not change unnoticed"
)]

pub mod export;
pub mod hex;

mod blocks;
mod contents;
mod cursor;
mod file;
mod format;
mod writer;

pub use contents::{
    BotRecord, BotTotals, Diagnosis, End, Ending, FaultTally, Header, LeftOut, Spread, Talk,
    TurnCost, TurnTalk, Void,
};
pub use cursor::{Cursor, ReplayState, Verdict, Verifier};
pub use file::{Damage, Difference, DifferenceKind, OpenError, Problem, ReadError, Replay};
pub use writer::{WriteError, Writer};
