//! What people read: tables, standings, progress.

mod evidence;
mod number;
mod progress;
mod standing;
mod text;

pub(crate) use evidence::{print_evidence, print_output};
pub(crate) use number::{duration, grouped, memory, plural, space};
pub(crate) use progress::Bar;
pub(crate) use standing::{MatchInfo, exit_of, print_faults, print_result};
pub(crate) use text::{listed, wrapped};

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use comfy_table::{Table, presets::NOTHING};

/// Headings and names.
pub(crate) const BOLD: Style = Style::new().bold();
/// What may be overlooked.
pub(crate) const DIM: Style = Style::new().dimmed();
/// What went well: winners, verified replays.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default().bold();
/// What went wrong: faults, differences.
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();

/// Prints a table without the blanks that fill its last column.
pub(crate) fn print_table(table: &Table, out: &mut impl Write) -> io::Result<()> {
    table.lines().try_for_each(|line| writeln!(out, "{}", line.trim_end()))
}

/// A table without lines, as wide as its content.
pub(crate) fn table() -> Table {
    let mut table = Table::new();
    table.load_style(NOTHING);
    table
}
