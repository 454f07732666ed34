//! Styles of text on a terminal, and tables.

use std::{
    fmt,
    hash::{BuildHasher, RandomState},
    io::{self, Write},
    sync::LazyLock,
};

use anstream::ColorChoice;
use clap::ValueEnum;
use comfy_table::{Table, presets::NOTHING};

/// What begins a style in text on its way to a terminal: `ESC [ NUMBER ;`.
///
/// The number is drawn anew each time that Agon runs. Only Agon knows it, so that no text of others
/// is taken for a style: [`Terminal`](crate::Terminal) passes on what begins with it, and
/// escapes all else.
pub(crate) static MARK: LazyLock<String> =
    LazyLock::new(|| format!("\u{1b}[{};", RandomState::new().hash_one("styles") >> 1 | 1 << 62));

/// Most bytes behind the mark: the codes and an `m`.
pub(crate) const MAX_CODE: usize = 8;

/// A style; `{style}` begins it, `{style:#}` ends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style(&'static str);

/// Headings and names.
pub const BOLD: Style = Style("1");
/// What may be overlooked.
pub const DIM: Style = Style("2");
/// What went well: winners, verified replays.
pub const GOOD: Style = Style("1;32");
/// What went wrong: faults, differences.
pub const BAD: Style = Style("1;31");
/// What may go wrong.
pub const CAUTION: Style = Style("1;33");
/// As all the rest.
pub const PLAIN: Style = Style("");

impl fmt::Display for Style {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0, f.alternate()) {
            ("", _) => Ok(()),
            (_, true) => write!(f, "{}0m", *MARK),
            (codes, false) => write!(f, "{}{codes}m", *MARK),
        }
    }
}

/// When to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set or TERM is dumb.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl Color {
    /// Makes it the choice for all output.
    pub fn write_global(self) {
        let choice = match self {
            Color::Auto => ColorChoice::Auto,
            Color::Always => ColorChoice::Always,
            Color::Never => ColorChoice::Never,
        };
        choice.write_global();
    }
}

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
