//! Output for people: tables, standings, progress.

#[macro_use]
mod terminal;
mod events;
mod evidence;
mod film_time;
mod films;
mod progress;
mod standing;
mod style;
mod tell;
mod text;
mod waiting;

pub(crate) use agon_text::number::{duration, grouped, memory, plural, space};
pub(crate) use agon_text::shell_word;
pub(crate) use events::print_event;
pub(crate) use evidence::{print_evidence, print_output};
pub(crate) use film_time::FilmTime;
pub(crate) use films::print_films;
pub(crate) use progress::{Bar, MatchProgress, bar_style};
pub(crate) use standing::{MatchInfo, exit_of, print_faults, print_result};
pub(crate) use style::{BAD, BOLD, CAUTION, DIM, GOOD, PLAIN, Style};
pub(crate) use tell::{tell, tell_above, tell_notice};
pub(crate) use terminal::{
    has_ascii_terminal, say_line, shown_on_stderr, stderr, stdout, stdout_failure,
};
pub(crate) use text::{listed, wrapped};
pub(crate) use waiting::WaitBoard;

use std::io::{self, Write};

use comfy_table::{Table, presets::NOTHING};

/// Prints a table without the blanks that fill its last column.
pub(crate) fn print_table(table: &Table, out: &mut impl Write) -> io::Result<()> {
    // The library ends styles once more by itself.
    let rows = table.lines().map(|line| line.replace("\u{1b}[0m", ""));
    rows.into_iter().try_for_each(|line| writeln!(out, "{}", line.trim_end()))
}

/// A table without lines, as wide as its content.
pub(crate) fn table() -> Table {
    let mut table = Table::new();
    table.load_style(NOTHING);
    table
}
