//! Escapes for characters that a reader would not see, such as commands to a terminal.
//!
//! Names, faults, logs and reports pass through here before people see them, because bots and
//! foreign files may put anything into them. The escapes have the form of JSON (`\u001b`), so that
//! they are right within JSON texts, too.

use std::io::{self, Write};
use std::{borrow::Cow, fmt::Write as _};

#[cfg(unix)]
use std::{ffi::OsStr, os::unix::ffi::OsStrExt};

/// Returns whether a character is invisible, or changes what a reader sees.
///
/// Control characters of ASCII and of Latin-1 (C0, DEL, C1) command terminals. Bidirectional ones
/// reorder their surroundings. Invisible ones make different names look alike. Line and paragraph
/// separators end lines in some programs only.
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            // Bidirectional marks, embeddings, overrides and isolates; separators.
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
            // Soft hyphen, joiners, spaces without width, byte order mark, invisible operators.
            | '\u{ad}' | '\u{34f}' | '\u{180e}' | '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2065}'
            | '\u{206a}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            // Letters that are drawn as nothing.
            | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{3164}' | '\u{ffa0}'
            // Tags and further selectors of variants.
            | '\u{e0000}'..='\u{e0fff}')
}

/// Returns the text on one line, with escapes for hidden characters.
pub fn escape(text: &str) -> Cow<'_, str> {
    escape_unless(text, |_| false)
}

/// Returns the text with escapes for hidden characters except line ends and tabs.
pub fn escape_lines(text: &str) -> Cow<'_, str> {
    escape_unless(text, is_layout)
}

/// Returns bytes as text, with escapes for invalid UTF-8 (`\xff`) and for hidden characters.
///
/// Characters in `plain` are not escaped.
pub fn escape_bytes(bytes: &[u8], plain: &[char]) -> String {
    let mut text = String::new();
    for chunk in bytes.utf8_chunks() {
        text += &escape_unless(chunk.valid(), |c| plain.contains(&c));
        chunk.invalid().iter().for_each(|&byte| push_byte(byte, &mut text));
    }
    text
}

/// Returns equivalent JSON without hidden characters, for people who print the file.
pub fn escape_json(json: &[u8]) -> Vec<u8> {
    escape_bytes(json, &['\n', '\t']).into_bytes()
}

/// Returns whether a character is a line end or a tab.
pub(crate) fn is_layout(c: char) -> bool {
    matches!(c, '\n' | '\t')
}

fn escape_unless(text: &str, plain: impl Fn(char) -> bool) -> Cow<'_, str> {
    let hidden = |c: char| is_hidden(c) && !plain(c);
    if !text.contains(hidden) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if hidden(c) { push_escape(c, &mut escaped) } else { escaped.push(c) }
    }
    Cow::Owned(escaped)
}

/// Appends the escape of a character: JSON's two letters, or its UTF-16 code units.
pub(crate) fn push_escape(c: char, out: &mut String) {
    match c {
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        c => {
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(out, "\\u{unit:04x}").expect("memory takes all");
            }
        }
    }
}

/// Appends the escape of a byte that belongs to no character.
pub(crate) fn push_byte(byte: u8, out: &mut String) {
    write!(out, "\\x{byte:02x}").expect("memory takes all");
}

/// Passes text on with escapes for hidden characters, except line ends and tabs.
///
/// Characters may arrive in pieces. JSON keeps its meaning: in its texts an escape stands for
/// the character.
#[derive(Debug)]
pub struct EscapeWriter<W> {
    out: W,
    /// The first bytes of a character whose other bytes have not arrived yet.
    partial: Vec<u8>,
}

impl<W: Write> EscapeWriter<W> {
    /// Makes a writer that passes everything on to `out`.
    pub fn new(out: W) -> EscapeWriter<W> {
        EscapeWriter { out, partial: Vec::new() }
    }

    /// Returns the output. It lacks only a character that has not arrived completely.
    pub fn inner(&mut self) -> &mut W {
        &mut self.out
    }

    /// Writes the rest, and returns the output.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn finish(mut self) -> io::Result<W> {
        self.give_up()?;
        Ok(self.out)
    }

    /// Escapes the bytes of an incomplete character.
    pub fn give_up(&mut self) -> io::Result<()> {
        let partial = std::mem::take(&mut self.partial);
        let mut text = String::new();
        partial.into_iter().for_each(|byte| push_byte(byte, &mut text));
        self.out.write_all(text.as_bytes())
    }

    fn pass(&mut self, bytes: &[u8]) -> io::Result<()> {
        let is_plain = |&byte: &u8| matches!(byte, b' '..=b'~' | b'\n' | b'\t');
        if bytes.iter().all(is_plain) {
            return self.out.write_all(bytes);
        }
        let mut text = String::with_capacity(bytes.len() + 16);
        let mut chunks = bytes.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            chunk.valid().chars().for_each(|c| push(c, &mut text));
            let invalid = chunk.invalid();
            let may_continue =
                |bytes| std::str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none());
            if chunks.peek().is_none() && may_continue(invalid) {
                self.partial = invalid.to_vec();
            } else {
                invalid.iter().for_each(|&byte| push_byte(byte, &mut text));
            }
        }
        self.out.write_all(text.as_bytes())
    }
}

fn push(c: char, out: &mut String) {
    if is_hidden(c) && !is_layout(c) { push_escape(c, out) } else { out.push(c) }
}

impl<W: Write> Write for EscapeWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.partial.is_empty() {
            self.pass(bytes)?;
        } else {
            let joined = [std::mem::take(&mut self.partial).as_slice(), bytes].concat();
            self.pass(&joined)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Writes a line of CSV with a line break at its end.
///
/// Spreadsheets take what begins with `=`, `+`, `-` or `@` for a formula. Names of bots and what
/// these write could be one, and a formula can send away what else is in the table. So such a field
/// gets an apostrophe, unless it is a number.
///
/// ```
/// let fields = ["fox", "-1.5", "=HYPERLINK(\"http://there\")", "a,b"];
/// let line = "fox,-1.5,\"'=HYPERLINK(\"\"http://there\"\")\",\"a,b\"\n";
/// assert_eq!(agon_core::text::csv_line(fields), line);
/// ```
pub fn csv_line<S: AsRef<str>>(fields: impl IntoIterator<Item = S>) -> String {
    let mut line = String::new();
    for (number, field) in fields.into_iter().enumerate() {
        if number > 0 {
            line.push(',');
        }
        let field = plain(field.as_ref());
        if field.contains([',', '"', '\n', '\r']) {
            line.push('"');
            line.push_str(&field.replace('"', "\"\""));
            line.push('"');
        } else {
            line.push_str(&field);
        }
    }
    line.push('\n');
    line
}

/// Returns a text that no spreadsheet takes for a formula.
fn plain(text: &str) -> Cow<'_, str> {
    let is_number = || text.parse().is_ok_and(f64::is_finite);
    match text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']) && !is_number() {
        true => format!("'{text}").into(),
        false => text.into(),
    }
}

/// Returns a word with the quotes and escapes that a shell needs. It hides no characters.
#[cfg(unix)]
pub fn shell_word(word: impl AsRef<OsStr>) -> String {
    let bytes = word.as_ref().as_bytes();
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-+./:=".contains(c);
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.is_empty() && text.chars().all(plain) => text.to_owned(),
        Ok(text) if !text.contains(is_hidden) => format!("'{}'", text.replace('\'', r"'\''")),
        _ => with_escapes(bytes),
    }
}

/// Quotes a word for shells that know escapes: `$'a\x1b'`.
#[cfg(unix)]
fn with_escapes(bytes: &[u8]) -> String {
    let mut word = "$'".to_owned();
    let escape = |bytes: &[u8], word: &mut String| {
        bytes.iter().for_each(|byte| write!(word, "\\x{byte:02x}").expect("memory takes all"));
    };
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\'' | '\\' => word.extend(['\\', c]),
                c if is_hidden(c) => escape(c.encode_utf8(&mut [0; 4]).as_bytes(), &mut word),
                c => word.push(c),
            }
        }
        escape(chunk.invalid(), &mut word);
    }
    word + "'"
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn commands_and_invisible_characters_are_shown() {
        assert_eq!(escape("\u{1b}]0;pwned\u{7}\u{9b}2J"), "\\u001b]0;pwned\\u0007\\u009b2J");
        assert_eq!(escape("gpj.\u{202e}exe\u{2066}\u{61c}"), "gpj.\\u202eexe\\u2066\\u061c");
        assert_eq!(
            escape("a\u{200b}b\u{feff}\u{2028}\u{e0041}"),
            "a\\u200bb\\ufeff\\u2028\\udb40\\udc41"
        );
        assert_eq!(escape("a\r\n\tb"), "a\\r\\n\\tb");
        assert_eq!(escape_lines("a\r\n\tb"), "a\\r\n\tb");
        assert_eq!(
            escape_bytes(b"PLACE 1\n\x1b[2J\xff\0ok", &[]),
            "PLACE 1\\n\\u001b[2J\\xff\\u0000ok"
        );
    }

    #[test]
    fn what_people_write_stays() {
        for text in ["Zug nach oben: ↑", "füchse.py", "日本語", "שלום", "12\u{202f}345 − 1", "🦊"]
        {
            assert!(matches!(escape(text), Cow::Borrowed(_)), "{text}");
        }
    }

    proptest! {
        #[test]
        fn nothing_hidden_is_left(text: String, bytes: Vec<u8>) {
            prop_assert!(!escape(&text).contains(is_hidden));
            prop_assert!(!escape_lines(&text).contains(|c| is_hidden(c) && !is_layout(c)));
            prop_assert!(!escape_bytes(&bytes, &[]).contains(is_hidden));
            let escaped = escape(&text);
            prop_assert_eq!(escape(&escaped), escaped.as_ref());
        }
    }

    fn written<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> String {
        let mut writer = EscapeWriter::new(Vec::new());
        pieces.into_iter().for_each(|piece| writer.write_all(piece).unwrap());
        String::from_utf8(writer.finish().unwrap()).unwrap()
    }

    #[test]
    fn escapes_are_those_of_json() {
        let json = "{\"name\":\"\u{9b}2J \u{202e}\"}\n";
        assert_eq!(written([json.as_bytes()]), "{\"name\":\"\\u009b2J \\u202e\"}\n");
    }

    proptest! {
        #[test]
        fn pieces_make_no_difference(bytes: Vec<u8>, text: String, length in 1..5usize) {
            for bytes in [bytes.as_slice(), text.as_bytes()] {
                let expected = escape_bytes(bytes, &['\n', '\t']);
                prop_assert_eq!(&written([bytes]), &expected);
                prop_assert_eq!(&written(bytes.chunks(length)), &expected);
            }
        }
    }

    #[test]
    fn spreadsheets_see_no_formulas() {
        for formula in ["=1+2", "+1+2", "-1+2", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "-", "-inf"] {
            assert_eq!(plain(formula), format!("'{formula}"));
        }
        for text in ["", "fox", "-5", "-0.25", "+3", "1e-7", "a=1", " =1"] {
            assert_eq!(plain(text), text);
        }
    }

    #[test]
    fn a_shell_reads_words_as_they_were() {
        let words = [
            "a/b-c.agon",
            "",
            "a b",
            "it's; rm -rf $HOME `x` \\",
            "\u{1b}[2J'\n\\x",
            "\u{202e}ä\u{9b}",
            "-x=~",
        ];
        for word in words {
            let shown = shell_word(word);
            assert!(!shown.contains(is_hidden), "{shown:?}");
            let output =
                Command::new("bash").arg("-c").arg(format!("printf %s {shown}")).output().unwrap();
            assert_eq!(String::from_utf8_lossy(&output.stdout), word, "{shown}");
        }
        let bytes = OsStr::from_bytes(b"a\xffb");
        assert_eq!(shell_word(bytes), "$'a\\xffb'");
        assert_eq!(shell_word("it's"), r"'it'\''s'");
    }
}
