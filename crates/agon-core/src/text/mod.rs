//! Untrusted text: read within limits, and escaped so that it cannot deceive a reader.
//!
//! | module | contents |
//! | --- | --- |
//! | [`escape`](mod@escape) | escapes for characters that a reader would not see; [`EscapeWriter`], through which all output for people passes; words for shells, lines for spreadsheets |
//! | [`ascii`] | ASCII for terminals that show nothing else |
//! | [`name`] | names of bots: their length and their characters |
//! | [`number`] | numbers, times and amounts of memory as people write them |

pub mod ascii;
pub mod escape;
pub mod name;
pub mod number;

pub use ascii::{AsciiWriter, takes_unicode, to_ascii};

#[cfg(unix)]
pub use escape::shell_word;
pub use escape::{
    EscapeWriter, csv_line, escape, escape_bytes, escape_json, escape_lines, is_hidden,
};
pub use name::{MAX_NAME, NameError, check_name, shown_name};
