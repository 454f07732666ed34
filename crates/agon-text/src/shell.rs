//! Quotes words for command lines that `agon` prints and that people copy into a shell.

use std::{ffi::OsStr, fmt::Write, os::unix::ffi::OsStrExt};

use crate::is_hidden;

/// Returns a word with the quotes and escapes that a shell needs. It hides no characters.
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

    use super::*;

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
