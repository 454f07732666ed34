//! The replay file, from which a match can be played again and verified.
//!
//! A replay holds rules, seed and answers, with a check of every state, instead of pictures of
//! states. A viewer plays the match again. [`Writer`] records a match, [`Replay`] opens a file,
//! [`Cursor`] steps through its states. [`Replay::visit_answers`] visits its answers,
//! [`Replay::verify`] verifies it, [`export`] turns it into text. All games share one format;
//! `docs/replay-format.md` describes every byte.

#![warn(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap,
    clippy::cast_lossless,
    reason = "replays are foreign bytes, whose numbers must not change unnoticed"
)]

pub mod export;
pub mod hex;

mod answers;
mod cursor;
mod diagnosis;
mod ending;
mod error;
mod format;
mod header;
mod redacted;
mod replay;
mod steps;
mod stream;
mod table;
mod verdict;
mod writer;

pub use cursor::{Cursor, ReplayState};
pub use diagnosis::{BotRecord, BotTotals, Diagnosis, LeftOut, Spread, Talk, TurnCost, TurnTalk};
pub use ending::{End, Ending, FaultTally, Void};
pub use error::{Damage, Difference, DifferenceKind, OpenError, Problem, ReadError};
pub use header::Header;
pub use redacted::RedactError;
pub use replay::Replay;
pub use verdict::{Verdict, Verifier};
pub use writer::{WriteError, Writer};
