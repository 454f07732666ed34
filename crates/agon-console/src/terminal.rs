//! The one way to standard output and standard error.

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, IsTerminal, Stderr, Stdout, Write};
use std::sync::{LazyLock, Mutex};

use agon_core::text::{AsciiWriter, EscapeWriter, takes_unicode, to_ascii};
use anstream::{AutoStream, ColorChoice, stream::RawStream};
use clap::ValueEnum;
use comfy_table::{CellAlignment, Table, presets::NOTHING};

const ESCAPE: u8 = 0x1b;

/// How writing to standard output has failed, if it has.
static FAILURE: Mutex<Option<io::ErrorKind>> = Mutex::new(None);

/// A stream that people read, on a terminal or in a file.
///
/// Whatever text is in it, from bots, replays, names of files, gets escapes for characters that
/// command a terminal or that nobody sees. Only a [`Style`](crate::Style) passes, where there are
/// colours. A terminal whose locale has no Unicode gets ASCII.
#[derive(Debug)]
pub struct Terminal<W: Write> {
    out: EscapeWriter<AsciiWriter<W>>,
    /// Whether styles are passed on.
    styled: bool,
    /// The beginning of what may be a style.
    begun: Vec<u8>,
}

/// Standard output. That it fails is remembered for [`stdout_failure`].
pub fn stdout() -> Terminal<Watched> {
    let styled = is_styled(&io::stdout());
    Terminal::new(Watched(io::stdout()), styled, is_ascii(&io::stdout()))
}

/// Standard error.
pub fn stderr() -> Terminal<Stderr> {
    let styled = is_styled(&io::stderr());
    Terminal::new(io::stderr(), styled, is_ascii(&io::stderr()))
}

/// How writing to standard output has failed, if it has.
pub fn stdout_failure() -> Option<io::ErrorKind> {
    *FAILURE.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// A line on standard error, as `eprintln!` takes it.
#[macro_export]
macro_rules! say {
    ($($arg:tt)*) => { $crate::say_line(format_args!($($arg)*)) };
}

/// Writes a line to standard error, at once. If nobody reads it any more, that is no reason to end.
pub fn say_line(line: fmt::Arguments<'_>) {
    let mut stderr = stderr();
    let _ = stderr.write_all(format!("{line}\n").as_bytes()).and_then(|()| stderr.flush());
}

/// Writes the beginning of a line to standard error, such as a question.
pub fn say_part(text: fmt::Arguments<'_>) {
    let mut stderr = stderr();
    let _ = stderr.write_all(text.to_string().as_bytes()).and_then(|()| stderr.flush());
}

/// Whether somebody sees standard error as it is written.
pub fn is_watched() -> bool {
    io::stderr().is_terminal()
}

/// Whether a stream shows styles, after `--color` and the environment.
fn is_styled(stream: &impl RawStream) -> bool {
    AutoStream::choice(stream) != ColorChoice::Never
}

/// Whether a stream is a terminal that shows only ASCII. Files and pipes always get UTF-8.
fn is_ascii(stream: &impl IsTerminal) -> bool {
    stream.is_terminal() && !takes_unicode(|name| std::env::var(name).ok())
}

/// Whether standard output or standard error is a terminal that shows only ASCII.
pub fn has_ascii_terminal() -> bool {
    is_ascii(&io::stdout()) || stderr_is_ascii()
}

/// Whether the terminal of standard error, where there is one, shows only ASCII.
pub fn stderr_is_ascii() -> bool {
    is_ascii(&io::stderr())
}

/// A text for standard error that does not pass through [`stderr`], such as that of a bar.
pub fn shown_on_stderr(text: &str) -> String {
    if stderr_is_ascii() { to_ascii(text) } else { text.to_owned() }
}

impl<W: Write> Terminal<W> {
    fn new(out: W, styled: bool, is_ascii: bool) -> Terminal<W> {
        let out = EscapeWriter::new(AsciiWriter::new(out, is_ascii));
        Terminal { out, styled, begun: Vec::new() }
    }

    /// Passes on what is whole of these bytes, and gives the rest, which may become a style.
    fn pass<'a>(&mut self, mut bytes: &'a [u8]) -> io::Result<&'a [u8]> {
        while let Some(at) = bytes.iter().position(|&byte| byte == ESCAPE) {
            let (text, rest) = bytes.split_at(at);
            self.out.write_all(text)?;
            bytes = match style_at(rest) {
                Found::Style(codes, rest) => {
                    if self.styled {
                        self.out.give_up()?;
                        write!(self.out.inner(), "\u{1b}[{codes}m")?;
                    }
                    rest
                }
                Found::Beginning => return Ok(rest),
                Found::Text => {
                    self.out.write_all(&rest[..1])?;
                    &rest[1..]
                }
            };
        }
        self.out.write_all(bytes)?;
        Ok(&[])
    }
}

/// What an escape character begins.
enum Found<'a> {
    /// A style of these codes, and what is behind it.
    Style(&'a str, &'a [u8]),
    /// Perhaps a style; more will tell.
    Beginning,
    /// Nothing of ours.
    Text,
}

fn style_at(bytes: &[u8]) -> Found<'_> {
    let mark = MARK.as_bytes();
    let Some(rest) = bytes.strip_prefix(mark) else {
        return if mark.starts_with(bytes) { Found::Beginning } else { Found::Text };
    };
    match rest.iter().take(MAX_CODE).position(|&byte| byte == b'm') {
        Some(end) => match std::str::from_utf8(&rest[..end]) {
            Ok(codes) => Found::Style(codes, &rest[end + 1..]),
            Err(_) => Found::Text,
        },
        None if rest.len() < MAX_CODE => Found::Beginning,
        None => Found::Text,
    }
}

impl<W: Write> Write for Terminal<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let joined = [std::mem::take(&mut self.begun).as_slice(), bytes].concat();
        self.begun = self.pass(&joined)?.to_vec();
        Ok(bytes.len())
    }

    /// Whoever flushes has said all: what looks like the beginning of a style is none.
    fn flush(&mut self) -> io::Result<()> {
        let begun = std::mem::take(&mut self.begun);
        self.out.write_all(&begun)?;
        self.out.flush()
    }
}

/// Standard output, whose failure is remembered.
#[derive(Debug)]
pub struct Watched(Stdout);

impl Watched {
    fn note<T>(result: io::Result<T>) -> io::Result<T> {
        result.inspect_err(|error| {
            if error.kind() != io::ErrorKind::Interrupted {
                let mut failure = FAILURE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                failure.get_or_insert(error.kind());
            }
        })
    }
}

impl Write for Watched {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Watched::note(self.0.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        Watched::note(self.0.flush())
    }
}

/// What begins a style in text on its way to a terminal: `ESC [ NUMBER ;`.
///
/// Agon draws a new number each time it starts. Only Agon knows it, so that no text of others
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

/// Returns such a table with names of columns, of which those with these numbers, counted from 0,
/// are aligned to the right.
pub fn table_of(
    names: impl IntoIterator<Item = impl fmt::Display>,
    right: impl IntoIterator<Item = usize>,
) -> Table {
    let mut table = table();
    table.set_header(names.into_iter().map(|name| format!("{DIM}{name}{DIM:#}")));
    for number in right {
        if let Some(column) = table.column_mut(number) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    use super::*;

    fn shown(text: &str, styled: bool, length: usize) -> String {
        shown_with(text, styled, false, length)
    }

    fn shown_with(text: &str, styled: bool, is_ascii: bool, length: usize) -> String {
        let mut terminal = Terminal::new(Vec::new(), styled, is_ascii);
        text.as_bytes().chunks(length).for_each(|piece| terminal.write_all(piece).unwrap());
        terminal.flush().unwrap();
        String::from_utf8(terminal.out.finish().unwrap().into_inner()).unwrap()
    }

    #[test]
    fn only_our_own_styles_pass() {
        let text =
            format!("{BAD}error:{BAD:#} \u{1b}[1mno\u{1b}[0m {BOLD}ä\u{9b}2J{BOLD:#}\u{1b}[");
        for length in 1..text.len() {
            let styled = "\u{1b}[1;31merror:\u{1b}[0m \\u001b[1mno\\u001b[0m \
                \u{1b}[1mä\\u009b2J\u{1b}[0m\\u001b[";
            assert_eq!(shown(&text, true, length), styled);
            let plain = "error: \\u001b[1mno\\u001b[0m ä\\u009b2J\\u001b[";
            assert_eq!(shown(&text, false, length), plain);
        }
        let long = format!("{}1;31;1;31m", *MARK);
        assert!(!shown(&long, true, 100).contains('\u{1b}'));
    }

    #[test]
    fn a_terminal_without_unicode_gets_ascii() {
        let text = format!("{BOLD}table{BOLD:#} 1½ · 5×5 │ Jörg ──→ \u{9b}2J");
        let expected = "\u{1b}[1mtable\u{1b}[0m 1.5 - 5x5 | J\\u00f6rg ---> \\u009b2J";
        for length in 1..text.len() {
            assert_eq!(shown_with(&text, true, true, length), expected);
        }
    }

    #[test]
    fn there_is_no_other_way() {
        fn look(folder: &Path, found: &mut Vec<PathBuf>) {
            for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
                let path = entry.path();
                if path.is_dir() {
                    look(&path, found);
                } else {
                    let text = fs::read_to_string(&path).unwrap();
                    let ways = ["print!(", "println!(", "io::stderr()", "anstream::std"];
                    // Tests may print.
                    let text = text.split("#[cfg(test)]").next().unwrap();
                    found.extend(ways.iter().any(|way| text.contains(way)).then_some(path));
                }
            }
        }

        let mut found = Vec::new();
        for user in ["agon", "agon-client"] {
            let user = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name(user);
            look(&user.join("src"), &mut found);
        }
        let tests_only = |path: &PathBuf| path.ends_with("compare/simulation.rs");
        found.retain(|path| !tests_only(path));
        assert_eq!(found, Vec::<PathBuf>::new(), "they write past `say!` and `stdout`");
    }
}
