//! Reads a log, checks each line, and finds the end of the last whole one.
//!
//! A tournament whose program was killed resumes from the lines that this accepts.

use std::fmt;

use super::line;

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
        let body = line::checked(line);
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
            starts.any(|at| line::checked(&line[at..]).is_some())
        });
    if whole_follows { Err(LogProblem::Damaged { line: number }) } else { Ok(()) }
}
