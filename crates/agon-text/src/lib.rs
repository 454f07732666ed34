//! Untrusted text: read within limits, and escaped so that it cannot deceive a reader.
//!
//! | module | contents |
//! | --- | --- |
//! | [`escape`](mod@escape) | escapes for characters that a reader would not see |
//! | [`writer`] | [`EscapeWriter`], through which all output for people passes |
//! | `csv` | lines of tables for spreadsheets |
//! | [`ascii`] | ASCII for terminals that show nothing else |
//! | [`name`] | names of bots: their length and their characters |
//! | `shell` | words of command lines that people copy |
//! | [`number`] | numbers, times and amounts of memory as people write them |
//! | [`input`] | text from files and streams, up to a limit |

pub mod ascii;
mod csv;
pub mod escape;
pub mod input;
pub mod name;
pub mod number;
#[cfg(unix)]
mod shell;
pub mod writer;

pub use ascii::{AsciiWriter, takes_unicode, to_ascii};
pub use csv::csv_line;
pub use escape::{escape, escape_bytes, escape_json, escape_lines, is_hidden};
pub use input::{MAX_TEXT, TextError, decode, read_bytes, read_regular, read_stdin, read_text};
pub use name::{MAX_NAME, NameError, check_name, shown_name};
#[cfg(unix)]
pub use shell::shell_word;
pub use writer::EscapeWriter;
