//! Escapes for characters that a reader would not see, such as commands to a terminal.
//!
//! Names, faults, logs and reports pass through here before people see them, because bots and
//! foreign files may put anything into them. The escapes have the form of JSON (`\u001b`), so that
//! they are right within JSON texts, too.

use std::{borrow::Cow, fmt::Write};

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

#[cfg(test)]
mod tests {
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
}
