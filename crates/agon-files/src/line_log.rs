//! Append-only logs of results that survive being killed at any moment. Tournaments, comparisons
//! and tunings keep their journals in them, and resume from them.
//!
//! Each line is a JSON object that ends with a checksum of all that stands before it:
//! `{"match":1,"sum":"0123456789abcdef"}`. The first line is a header. A record is written with one
//! call before it counts, so that a killed process loses no record. If a line was being written at
//! that moment, its torn tail is cut off when the log is opened again.
//!
//! The operating system keeps what was written when a process is killed, `kill -9` included. When
//! the power fails it keeps only what has been synchronised: [`SyncPolicy`] says how often that is
//! done.

#![warn(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap,
    clippy::cast_lossless,
    reason = "logs are foreign bytes, whose numbers must not change unnoticed"
)]

use std::fmt;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use agon_core::text::escape_json;
use serde::Serialize;

/// The text before the checksum: 16 hexadecimal digits of the BLAKE3 hash of all bytes before it.
const MARK: &str = ",\"sum\":\"";
const DIGITS: usize = 16;
const END: &str = "\"}";

/// Returns an object as a line, with its checksum and the end of the line.
///
/// # Panics
/// If it cannot be written as JSON.
pub fn write_line(value: &impl Serialize) -> Vec<u8> {
    let json =
        serde_json::to_vec(value).expect("what is written has text as keys and finite numbers");
    let mut line = escape_json(&json);
    let brace = line.pop();
    debug_assert_eq!(brace, Some(b'}'), "a line is an object");
    let sum = sum(&line);
    line.extend_from_slice(MARK.as_bytes());
    line.extend_from_slice(sum.as_bytes());
    line.extend_from_slice(END.as_bytes());
    line.push(b'\n');
    line
}

/// Returns the part before the checksum, if the checksum is right. `line` has no line end.
fn checked(line: &[u8]) -> Option<&[u8]> {
    let (body, tail) =
        line.split_at_checked(line.len().checked_sub(MARK.len() + DIGITS + END.len())?)?;
    let digits = tail.strip_prefix(MARK.as_bytes())?.strip_suffix(END.as_bytes())?;
    (digits == sum(body).as_bytes()).then_some(body)
}

fn sum(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex()[..DIGITS].to_owned()
}

/// Puts the right checksum into lines in which it is `?`: `{...,"sum":"?"}`. Tests make logs so.
pub fn with_sums(bytes: &[u8]) -> Vec<u8> {
    let open = [MARK, "?", END].concat();
    let fix = |line: &[u8]| {
        let (text, end) = match line.strip_suffix(b"\n") {
            Some(text) => (text, &b"\n"[..]),
            None => (line, &b""[..]),
        };
        match text.strip_suffix(open.as_bytes()) {
            Some(body) => {
                [body, MARK.as_bytes(), sum(body).as_bytes(), END.as_bytes(), end].concat()
            }
            None => line.to_vec(),
        }
    };
    bytes.split_inclusive(|&byte| byte == b'\n').flat_map(fix).collect()
}

/// The form of a log's lines.
#[derive(Clone, Copy, Debug)]
pub struct LogFormat<'a> {
    /// The first bytes of a header.
    pub header: &'a [u8],
    /// The first bytes of a record.
    pub record: &'a [u8],
    /// Whether to accept logs without checksums, as older versions of Agon wrote them.
    pub may_lack_sums: bool,
}

/// The end of a log whose writer was killed, or whose machine lost its power.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Torn {
    /// The first line that is not whole, from 1.
    pub line: usize,
    /// The bytes from there to the end of the file.
    pub bytes: u64,
}

impl fmt::Display for Torn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Torn { line, bytes } = self;
        write!(
            f,
            "line {line} was being written when the program was stopped; its {bytes} bytes are cut \
             off"
        )
    }
}

/// The reason why the bytes are not a valid log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogProblem<E> {
    /// They are not a log at all.
    NoLog,
    /// The checksum of this line is wrong, but whole lines follow.
    Damaged {
        /// The line, from 1.
        line: usize,
    },
    /// The caller refused a line.
    Refused(E),
}

/// Reads all whole lines. Returns their length in bytes, and the torn tail after them.
///
/// Calls `each` with the number of each line, from 1, and its JSON object without the checksum.
///
/// Damaged lines without a whole line after them are a torn tail: when the power fails, a file may
/// have any bytes at its end.
///
/// # Errors
/// If the bytes are no log, it is damaged before its end, or `each` fails.
pub fn read_lines<E>(
    bytes: &[u8],
    format: &LogFormat<'_>,
    mut each: impl FnMut(usize, &[u8]) -> Result<(), E>,
) -> Result<(u64, Option<Torn>), LogProblem<E>> {
    let mut rest = bytes;
    let mut number = 0;
    let mut has_sums = true;
    while !rest.is_empty() {
        number += 1;
        let end = rest.iter().position(|&byte| byte == b'\n');
        let line = &rest[..end.unwrap_or(rest.len())];
        let body = checked(line);
        if number == 1 && body.is_none() && end.is_some() && format.may_lack_sums {
            has_sums = false;
        }
        let object = match body {
            Some(body) if end.is_some() => [body, b"}"].concat(),
            None if end.is_some() && !has_sums => line.to_vec(),
            _ => {
                tail(rest, number, has_sums, format)?;
                let torn = Torn { line: number, bytes: rest.len() as u64 };
                return Ok(((bytes.len() - rest.len()) as u64, Some(torn)));
            }
        };
        each(number, &object).map_err(LogProblem::Refused)?;
        rest = &rest[line.len() + 1..];
    }
    Ok((bytes.len() as u64, None))
}

/// Checks that `rest`, which starts with an incomplete line, has no whole line.
fn tail<E>(
    rest: &[u8],
    number: usize,
    has_sums: bool,
    format: &LogFormat<'_>,
) -> Result<(), LogProblem<E>> {
    if number == 1 {
        // Only the beginning of a header may be overwritten; any other file must stay.
        let known = rest.len().min(format.header.len());
        let is_header = rest[..known] == format.header[..known] && !rest.contains(&b'\n');
        return if is_header { Ok(()) } else { Err(LogProblem::NoLog) };
    }
    if !has_sums {
        return Ok(());
    }
    // A whole record may also follow a line whose end is damaged, without a line end between them.
    // Texts escape their quotes, so only records start with these bytes. The first line is skipped:
    // it is not whole, or lacks only its line end.
    let whole_follows =
        rest.split_inclusive(|&byte| byte == b'\n').enumerate().any(|(number, line)| {
            let line = line.strip_suffix(b"\n").unwrap_or(line);
            let first = usize::from(number == 0);
            let mut starts =
                (first..line.len()).filter(|&at| line[at..].starts_with(format.record));
            starts.any(|at| checked(&line[at..]).is_some())
        });
    if whole_follows { Err(LogProblem::Damaged { line: number }) } else { Ok(()) }
}

/// When written records are synchronised with the disk.
///
/// A killed process loses no record in any case. A machine that loses its power loses the records
/// since the last synchronisation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SyncPolicy {
    /// The operating system decides, usually within half a minute.
    #[default]
    Never,
    /// With the first record after this time since the last synchronisation, and at the end.
    Every(Duration),
}

/// The reason why a log cannot be opened or written. Callers add the purpose of the log.
#[derive(Debug)]
pub enum LogError {
    /// The file cannot be read or written.
    Io(io::Error),
    /// Another process is writing it.
    Locked,
    /// It is not a regular file.
    NotRegular,
    /// An earlier record was written only in part, and that part could not be removed.
    Broken,
}

/// A log that is open for writing. Meanwhile no other process can write it.
#[derive(Debug)]
pub struct LineLog {
    path: PathBuf,
    file: File,
    /// The length of all whole lines, in bytes.
    length: u64,
    sync: SyncPolicy,
    synced: Instant,
    /// Whether records were written since `synced`.
    unsynced: bool,
    broken: bool,
}

impl LineLog {
    /// Opens a file as a log, or makes an empty one, and returns its bytes.
    ///
    /// The caller reads them with [`read_lines`], then calls [`LineLog::keep`].
    ///
    /// # Errors
    /// If another process writes the file, or it cannot be read.
    pub fn open(path: &Path, sync: SyncPolicy) -> Result<(LineLog, Vec<u8>), LogError> {
        let options = OpenOptions::new().read(true).append(true).create(true).open(path);
        let mut file = options.map_err(LogError::Io)?;
        // A device may have no end.
        if !file.metadata().map_err(LogError::Io)?.is_file() {
            return Err(LogError::NotRegular);
        }
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(LogError::Locked),
            Err(TryLockError::Error(error)) => return Err(LogError::Io(error)),
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(LogError::Io)?;
        let log = LineLog {
            path: path.to_owned(),
            file,
            length: bytes.len() as u64,
            sync,
            synced: Instant::now(),
            unsynced: false,
            broken: false,
        };
        Ok((log, bytes))
    }

    /// Returns the path of the log.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Keeps the first `whole` bytes and cuts off the rest.
    ///
    /// # Errors
    /// If that fails.
    pub fn keep(&mut self, whole: u64) -> Result<(), LogError> {
        if whole < self.length {
            self.file.set_len(whole).map_err(LogError::Io)?;
            self.length = whole;
        }
        Ok(())
    }

    /// Writes an object as a line with its checksum.
    ///
    /// When this returns, the line survives the end of this process.
    ///
    /// # Errors
    /// If the file cannot be written; the log is then as before.
    pub fn append(&mut self, object: &impl Serialize) -> Result<(), LogError> {
        if self.broken {
            return Err(LogError::Broken);
        }
        let line = write_line(object);
        if let Err(source) = self.file.write_all(&line) {
            // Usually the disk is full. The next line must not follow a part of this one.
            self.broken = self.file.set_len(self.length).is_err();
            return Err(LogError::Io(source));
        }
        self.length += line.len() as u64;
        self.unsynced = true;
        match self.sync {
            SyncPolicy::Every(time) if self.synced.elapsed() >= time => self.synchronise(),
            _ => Ok(()),
        }
    }

    /// Waits until all records are on the disk.
    ///
    /// # Errors
    /// If the disk fails.
    pub fn synchronise(&mut self) -> Result<(), LogError> {
        self.file.sync_data().map_err(LogError::Io)?;
        self.synced = Instant::now();
        self.unsynced = false;
        Ok(())
    }
}

impl Drop for LineLog {
    fn drop(&mut self) {
        if self.unsynced && self.sync != SyncPolicy::Never {
            // Callers that need the error call `synchronise` themselves.
            let _ = self.synchronise();
        }
        // Closing is not enough: a child that is just starting has the file open until it executes
        // its program.
        let _ = self.file.unlock();
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_record_that_cannot_be_written_leaves_the_log_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.jsonl");
        let (mut log, bytes) = LineLog::open(&path, SyncPolicy::Never).unwrap();
        assert!(bytes.is_empty());
        log.append(&json!({ "log": 1 })).unwrap();
        assert!(matches!(LineLog::open(&path, SyncPolicy::Never), Err(LogError::Locked)));
        let before = std::fs::read(&path).unwrap();
        let own = std::mem::replace(&mut log.file, File::open(&path).unwrap());
        assert!(matches!(log.append(&json!({ "a": 1 })), Err(LogError::Io(_))));
        // A part of it may be left, which could not be cut off. So nothing may follow it.
        assert!(matches!(log.append(&json!({ "a": 1 })), Err(LogError::Broken)));
        assert_eq!(std::fs::read(&path).unwrap(), before);
        log.file = own;
        log.broken = false;
        log.append(&json!({ "a": 1 })).unwrap();
        assert_ne!(std::fs::read(&path).unwrap(), before);
        drop(log);
        let (_, bytes) = LineLog::open(&path, SyncPolicy::Never).unwrap();
        assert_eq!(bytes, std::fs::read(&path).unwrap());
        assert!(matches!(
            LineLog::open(folder.path(), SyncPolicy::Never),
            Err(LogError::Io(_) | LogError::NotRegular)
        ));
    }
}
