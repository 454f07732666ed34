//! Append-only logs of results that survive being killed at any moment. Tournaments, comparisons
//! and tunings keep their journals in them, and resume from them.
//!
//! Each line is a JSON object that ends with a checksum of all that stands before it:
//! `{"match":1,"sum":"0123456789abcdef"}`. The first line is a header. A record is written with one
//! call before it counts, so that a killed process loses no record. If a line was being written at
//! that moment, its torn tail is cut off when the log is opened again.
//!
//! The operating system keeps what was written when a process is killed, `kill -9` included. When
//! the power fails it keeps only what has been synchronised: [`SyncPolicy`] says how often that is
//! done.
//!
//! | module | noun |
//! | --- | --- |
//! | `line` | a line with its checksum |
//! | `reader` | [`read_lines`]: all lines, and where the whole ones end |
//! | `writer` | [`LineLog`]: a log that is open for writing |

#![warn(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap,
    clippy::cast_lossless,
    reason = "logs are foreign bytes, whose numbers must not change unnoticed"
)]

mod line;
mod reader;
mod writer;

pub use line::{with_sums, write as write_line};
pub use reader::{LogFormat, LogProblem, Torn, read_lines};
pub use writer::{LineLog, LogError, SyncPolicy};
