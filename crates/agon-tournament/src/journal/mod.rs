//! The journal of a tournament: an append-only file of results that survives a kill at any moment.
//!
//! A tournament continues from it, and reports are made from it.
//!
//! It is a [`LineLog`](agon_files::line_log::LineLog): the first line is the [`Header`], each other
//! one a [`Record`]. If a kill tore the line of a match, the match is played again.

#![warn(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap,
    clippy::cast_lossless,
    reason = "journals are foreign bytes, whose numbers must not change unnoticed"
)]

use agon_files::line_log;

mod error;
mod reader;
mod record;
mod writer;

pub use agon_files::line_log::{SyncPolicy, Torn};
pub use error::JournalError;
pub use reader::{Contents, read};
pub use record::{Header, Record, SeatFault};
pub use writer::Journal;

/// Returns the bytes of a journal with these records.
pub fn write(header: &Header, records: &[Record]) -> Vec<u8> {
    let mut bytes = line_log::write_line(header);
    records.iter().for_each(|record| bytes.extend(line_log::write_line(record)));
    bytes
}

/// Puts the right checksum into lines that end with `,"sum":"?"}`: for journals written by hand, in
/// tests.
pub fn with_sums(bytes: &[u8]) -> Vec<u8> {
    line_log::with_sums(bytes)
}
