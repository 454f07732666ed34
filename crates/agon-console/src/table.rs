//! Tables.

use std::io::{self, Write};

use comfy_table::{Table, presets::NOTHING};

/// Prints a table without the blanks that fill its last column.
///
/// # Errors
/// If it cannot be written.
pub fn print_table(table: &Table, out: &mut impl Write) -> io::Result<()> {
    // The library ends styles once more by itself.
    let rows = table.lines().map(|line| line.replace("\u{1b}[0m", ""));
    rows.into_iter().try_for_each(|line| writeln!(out, "{}", line.trim_end()))
}

/// Returns a table without lines, as wide as its content.
pub fn table() -> Table {
    let mut table = Table::new();
    table.load_style(NOTHING);
    table
}
