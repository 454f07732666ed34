//! ASCII for terminals that show nothing else, as those of the locale `C`.
//!
//! `agon` prints through an [`AsciiWriter`] there, and draws its progress bars with other signs.

use std::io::{self, Write};

use crate::text::escape::push_escape;

/// Returns whether the locale of the environment has all characters of Unicode.
///
/// `variable` looks a variable up. The first of LC_ALL, LC_CTYPE and LANG that is not empty counts.
pub fn takes_unicode(variable: impl Fn(&str) -> Option<String>) -> bool {
    let set = |name| variable(name).filter(|value| !value.is_empty());
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(set).unwrap_or_default();
    let locale = locale.to_ascii_lowercase();
    locale.contains("utf-8") || locale.contains("utf8")
}

/// Returns a text in ASCII.
///
/// Signs of Agon's own become similar ones, other characters escapes as in JSON.
pub fn to_ascii(text: &str) -> String {
    let mut ascii = String::with_capacity(text.len());
    for character in text.chars() {
        push(character, &mut ascii);
    }
    ascii
}

/// Adds a character to a text in ASCII.
fn push(character: char, text: &mut String) {
    let similar = match character {
        character if character.is_ascii() => return text.push(character),
        // A half belongs to the number before it.
        '½' if text.ends_with(|last: char| last.is_ascii_digit()) => ".5",
        '½' => "0.5",
        '×' => "x",
        '±' => "+-",
        '−' | '–' | '—' | '─' | '·' => "-",
        '≤' => "<=",
        '≥' => ">=",
        '≈' => "~",
        '→' => "->",
        '←' => "<-",
        '↑' => "^",
        '↓' => "v",
        '…' => "...",
        'µ' => "u",
        '°' => " degrees",
        '²' => "^2",
        '³' => "^3",
        '√' => "sqrt",
        '∞' => "inf",
        '‘' | '’' => "'",
        '“' | '”' => "\"",
        '✓' => "+",
        '✗' => "x",
        '●' | '•' | '■' => "*",
        '│' | '┃' => "|",
        '┌' | '┐' | '└' | '┘' | '├' | '┤' | '┬' | '┴' | '┼' => "+",
        '█' | '▉' | '▊' | '▋' | '▌' => "#",
        '▍' | '▎' | '▏' | '░' => ".",
        // Between groups of digits.
        '\u{a0}' | '\u{202f}' => " ",
        other => return push_escape(other, text),
    };
    text.push_str(similar);
}

/// Passes text on, in ASCII if that is wanted.
#[derive(Debug)]
pub struct AsciiWriter<W> {
    out: W,
    is_wanted: bool,
    /// Whether the last character was a digit.
    after_digit: bool,
}

impl<W: Write> AsciiWriter<W> {
    /// Makes a writer that passes everything on to `out`, unmodified unless ASCII is wanted.
    pub fn new(out: W, is_wanted: bool) -> AsciiWriter<W> {
        AsciiWriter { out, is_wanted, after_digit: false }
    }

    /// Returns the output.
    pub fn into_inner(self) -> W {
        self.out
    }
}

impl<W: Write> Write for AsciiWriter<W> {
    /// Takes whole characters, as [`EscapeWriter`](crate::text::EscapeWriter) passes them on.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = match std::str::from_utf8(bytes) {
            Ok(text) if self.is_wanted && !bytes.is_empty() => text,
            _ => return self.out.write(bytes),
        };
        let mut ascii = String::with_capacity(bytes.len());
        if self.after_digit {
            ascii.push('0');
        }
        let known = ascii.len();
        text.chars().for_each(|character| push(character, &mut ascii));
        self.out.write_all(&ascii.as_bytes()[known..])?;
        self.after_digit = ascii.ends_with(|last: char| last.is_ascii_digit());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locales_say_which_characters_there_are() {
        let takes = |variables: &[(&str, &str)]| {
            takes_unicode(|name| {
                variables.iter().find(|set| set.0 == name).map(|set| set.1.to_owned())
            })
        };
        assert!(takes(&[("LANG", "de_DE.UTF-8")]));
        assert!(takes(&[("LC_ALL", ""), ("LANG", "C.utf8")]));
        assert!(!takes(&[("LC_ALL", "C"), ("LANG", "de_DE.UTF-8")]));
        assert!(!takes(&[("LC_CTYPE", "POSIX"), ("LANG", "de_DE.UTF-8")]));
        assert!(!takes(&[("LANG", "de_DE.ISO-8859-1")]));
        assert!(!takes(&[]));
    }

    #[test]
    fn signs_become_similar_ones_and_letters_escapes() {
        let text = "2½ : ½ · 5×5 − 1\u{202f}000 ± 3 … ≥ 4 → 12 µs";
        assert_eq!(to_ascii(text), "2.5 : 0.5 - 5x5 - 1 000 +- 3 ... >= 4 -> 12 us");
        assert_eq!(to_ascii("│██░░│ Jörg 🦊"), "|##..| J\\u00f6rg \\ud83e\\udd8a");
        assert_eq!(to_ascii(""), "");
        let all: String = ('\0'..='\u{2fff}').collect();
        assert!(to_ascii(&all).is_ascii());
    }

    #[test]
    fn pieces_make_no_difference() {
        let text = "1½ 23½½ x½ ─";
        let pieces: Vec<String> = text.chars().map(String::from).collect();
        for is_wanted in [true, false] {
            let mut writer = AsciiWriter::new(Vec::new(), is_wanted);
            pieces.iter().for_each(|piece| writer.write_all(piece.as_bytes()).unwrap());
            let expected = if is_wanted { to_ascii(text) } else { text.to_owned() };
            assert_eq!(String::from_utf8(writer.into_inner()).unwrap(), expected);
        }
    }
}
