//! A writer that escapes hidden characters in everything that is written through it.
//!
//! `agon` prints and writes its logs and tables through it, so a bot's text cannot command the
//! reader's terminal.

use std::io::{self, Write};

use crate::escape::{is_hidden, is_layout, push_byte, push_escape};

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
        let mut rest = bytes;
        while !rest.is_empty() {
            let valid = match std::str::from_utf8(rest) {
                Ok(all) => all,
                Err(error) => {
                    let (valid, _) = rest.split_at(error.valid_up_to());
                    std::str::from_utf8(valid).expect("it is valid up to there")
                }
            };
            valid.chars().for_each(|c| push(c, &mut text));
            rest = &rest[valid.len()..];
            if let Err(error) = std::str::from_utf8(rest) {
                let Some(invalid) = error.error_len() else {
                    self.partial = rest.to_vec();
                    break;
                };
                rest[..invalid].iter().for_each(|&byte| push_byte(byte, &mut text));
                rest = &rest[invalid..];
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::escape_bytes;

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
}
