//! Text that others wrote: read within limits, shown so that it cannot pass for anything else.
//!
//! | module | noun |
//! | --- | --- |
//! | [`escape`](mod@escape) | characters that a reader would not see, and what is shown instead |
//! | [`writer`] | [`EscapeWriter`], through which all output for people passes |
//! | [`name`] | names of bots: how long they are, what is in them |
//! | [`input`] | text from files and streams, as long as it is not too long |

pub mod escape;
pub mod input;
pub mod name;
pub mod writer;

pub use escape::{escape, escape_bytes, escape_json, escape_lines, is_hidden};
pub use input::{MAX_TEXT, TextError, decode, read_bytes, read_regular, read_stdin, read_text};
pub use name::{MAX_NAME, NameError, check_name, shown_name};
pub use writer::EscapeWriter;
