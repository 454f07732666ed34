//! Lines for the operator.

use std::io::Write;

/// Writes a line for the operator.
pub(crate) fn say(line: &str) {
    // Nobody may read it any more.
    let _ = writeln!(std::io::stderr(), "{}", agon_core::text::escape_lines(line));
}
