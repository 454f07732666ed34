//! Reads text from files and streams, up to a limit.
//!
//! Commands read plans, settings, scenarios and maps with it. Without the limit, a file without an
//! end, such as `/dev/zero`, would fill the memory.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use thiserror::Error;

/// The most bytes of a text that is read: plans, settings, scenarios, maps.
pub const MAX_TEXT: u64 = 16 << 20;

/// The name of standard input in errors.
const STDIN: &str = "standard input";

/// The reason why a text cannot be read.
#[derive(Debug, Error)]
#[error("cannot read {}{why}", .file.display())]
pub struct TextError {
    file: PathBuf,
    /// A colon and the reason, unless `source` has it.
    why: String,
    source: Option<io::Error>,
}

impl TextError {
    fn io(file: &Path, source: io::Error) -> TextError {
        TextError { file: file.to_owned(), why: String::new(), source: Some(source) }
    }

    fn because(file: &Path, why: &str) -> TextError {
        TextError { file: file.to_owned(), why: format!(": {why}"), source: None }
    }

    /// Returns whether the file does not exist.
    pub fn is_missing(&self) -> bool {
        self.source.as_ref().is_some_and(|source| source.kind() == io::ErrorKind::NotFound)
    }
}

/// Reads a text file of at most [`MAX_TEXT`] bytes, without a byte order mark.
///
/// Pipes and devices work, too.
///
/// # Errors
/// If it cannot be read, is too long, or not UTF-8.
pub fn read_text(file: &Path) -> Result<String, TextError> {
    decode(read_bytes(file, MAX_TEXT)?, file)
}

/// Reads standard input as [`read_text`] reads a file.
///
/// # Errors
/// As [`read_text`].
pub fn read_stdin() -> Result<String, TextError> {
    let name = Path::new(STDIN);
    decode(within(io::stdin().lock(), name, MAX_TEXT)?, name)
}

/// Reads a file of at most `most` bytes.
///
/// # Errors
/// If it cannot be read, or is too long.
pub fn read_bytes(file: &Path, most: u64) -> Result<Vec<u8>, TextError> {
    let open = File::open(file).map_err(|source| TextError::io(file, source))?;
    within(open, file, most)
}

/// Reads a regular file of any size. A device or a pipe may have no end.
///
/// # Errors
/// If it is not a regular file, or cannot be read.
pub fn read_regular(file: &Path) -> io::Result<Vec<u8>> {
    // Opening a pipe would wait for a writer.
    if !fs::metadata(file)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
    }
    fs::read(file)
}

/// Returns the whole stream, unless it is longer than `most`.
fn within(stream: impl Read, file: &Path, most: u64) -> Result<Vec<u8>, TextError> {
    let mut bytes = Vec::new();
    let read = stream.take(most + 1).read_to_end(&mut bytes);
    read.map_err(|source| TextError::io(file, source))?;
    if bytes.len() as u64 > most {
        let mib = most >> 20;
        let why = format!("it has more than {mib} MiB, the most that is read");
        return Err(TextError::because(file, &why));
    }
    Ok(bytes)
}

/// Decodes bytes, without the byte order mark that some editors write.
///
/// # Errors
/// If they are not UTF-8.
pub fn decode(bytes: Vec<u8>, file: &Path) -> Result<String, TextError> {
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        TextError::because(file, &format!("it is no text; byte {at} is not UTF-8"))
    })?;
    Ok(match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endless_streams_and_long_files_are_refused() {
        let error = within(io::repeat(b' '), Path::new("zero"), MAX_TEXT).unwrap_err();
        assert_eq!(
            error.to_string(),
            "cannot read zero: it has more than 16 MiB, the most that is read"
        );
        assert_eq!(within(io::repeat(0).take(5), Path::new("five"), 5).unwrap(), [0; 5]);
        let error = within(io::repeat(0).take(6), Path::new("six"), 5).unwrap_err();
        assert!(error.to_string().contains("it has more than"), "{error}");
    }

    #[test]
    fn a_byte_order_mark_is_no_part_of_a_text() {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), "\u{feff}a\r\nb").unwrap();
        assert_eq!(read_text(file.path()).unwrap(), "a\r\nb");
        fs::write(file.path(), b"ab\xff").unwrap();
        let error = read_text(file.path()).unwrap_err().to_string();
        assert!(error.ends_with("it is no text; byte 2 is not UTF-8"), "{error}");
        let error = read_text(Path::new("/nowhere/at all")).unwrap_err().to_string();
        assert_eq!(error, "cannot read /nowhere/at all");
    }
}
