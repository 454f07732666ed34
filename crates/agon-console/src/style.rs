//! Styles of text on a terminal.

use std::{
    fmt,
    hash::{BuildHasher, RandomState},
    sync::LazyLock,
};

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
