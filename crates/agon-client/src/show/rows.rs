//! Rows of tables, and lines of JSON.

use std::io::{self, Write};

use comfy_table::{CellAlignment, Table};
use serde::Serialize;

/// Aligns columns to the right.
pub(crate) fn right(table: &mut Table, columns: &[usize]) {
    for &column in columns {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
}

/// Prints an object as a line of JSON, without characters that command a terminal.
///
/// # Errors
/// If it cannot be written.
pub(crate) fn print_json(object: &impl Serialize, out: &mut impl Write) -> io::Result<()> {
    out.write_all(&agon_text::escape_json(&serde_json::to_vec(object)?))?;
    writeln!(out)?;
    out.flush()
}
