//! The journal: an append-only file of results that survives being killed at any moment.
//!
//! Each line is a JSON object that ends with a checksum of all that stands before it. The first line is the
//! [`Header`], each other one a [`Record`]. A record is written with one call before the match counts as finished, so
//! that a killed process loses no finished match; what it was writing at that moment is a torn tail, which is cut off
//! when the journal is opened again, and its match is played again.
//!
//! The operating system keeps what was written when a process is killed, `kill -9` included. When the power fails it
//! keeps only what has been synchronised: [`Sync`] says how often that is done.

mod error;
mod line;
mod reader;
mod record;
mod writer;

pub use error::JournalError;
pub use reader::{Contents, Torn, read};
pub use record::{Header, Record, SeatFault};
pub use writer::{Journal, Sync};
