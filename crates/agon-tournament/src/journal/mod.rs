//! The journal: an append-only file of results that survives being killed at any moment.
//!
//! Each line is a JSON object that ends with a checksum of all that stands before it. The first
//! line is the [`Header`], each other one a [`Record`]. A record is written with one call before
//! the match counts as finished, so that a killed process loses no finished match; what it was
//! writing at that moment is a torn tail, which is cut off when the journal is opened again, and
//! its match is played again.
//!
//! The operating system keeps what was written when a process is killed, `kill -9` included. When
//! the power fails it keeps only what has been synchronised: [`SyncPolicy`] says how often that is
//! done.

#![warn(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap,
    clippy::cast_lossless,
    reason = "journals are foreign bytes, whose numbers must not change unnoticed"
)]

mod error;
mod line;
mod reader;
mod record;
mod writer;

pub use error::JournalError;
pub use reader::{Contents, Torn, read};
pub use record::{Header, Record, SeatFault};
pub use writer::{Journal, SyncPolicy};

/// The bytes of a journal with these records.
pub fn write(header: &Header, records: &[Record]) -> Vec<u8> {
    let mut bytes = line::write(header);
    records.iter().for_each(|record| bytes.extend(line::write(record)));
    bytes
}

/// Puts the right checksum into lines that end with `,"sum":"?"}`: for journals written by hand, in
/// tests.
pub fn with_sums(bytes: &[u8]) -> Vec<u8> {
    line::with_sums(bytes)
}
