//! Reads a log, checks each line, and finds the end of the last whole one.
//!
//! A tournament whose program was killed resumes from the lines that this accepts.

use std::fmt;

use super::line;

/// What the lines of a log look like.
#[derive(Clone, Copy, Debug)]
pub struct LogFormat<'a> {
    /// The bytes that a header begins with.
    pub header: &'a [u8],
    /// The bytes that a record begins with.
    pub record: &'a [u8],
    /// Whether a log without checksums is read, too: older versions of Agon wrote some.
    pub may_lack_sums: bool,
}

/// The end of a log whose writer was killed, or whose machine lost its power.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Torn {
    /// The first line that is not whole, from 1.
    pub line: usize,
    /// The length of it and all behind it, in bytes.
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

/// Why the bytes are no log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogProblem<E> {
    /// They are something else.
    NoLog,
    /// The checksum of this line is wrong, but whole lines follow.
    Damaged {
        /// The line, from 1.
        line: usize,
    },
    /// The reader of the lines refuses one.
    Refused(E),
}

/// Reads all whole lines, and calls `each` with the number of a line, from 1, and its JSON object
/// without the checksum. Returns the length of the whole lines in bytes, and the torn tail behind
/// them.
///
/// Damaged lines that no whole line follows are a torn tail: when the power fails, a file may have
/// any bytes at its end.
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

/// Checks that `rest`, which begins with a line that is not whole, has no whole line.
fn tail<E>(
    rest: &[u8],
    number: usize,
    has_sums: bool,
    format: &LogFormat<'_>,
) -> Result<(), LogProblem<E>> {
    if number == 1 {
        // A file that is something else must not be overwritten: it has to be the beginning of a
        // header.
        let known = rest.len().min(format.header.len());
        let is_header = rest[..known] == format.header[..known] && !rest.contains(&b'\n');
        return if is_header { Ok(()) } else { Err(LogProblem::NoLog) };
    }
    if !has_sums {
        return Ok(());
    }
    // Also behind a line whose end is damaged. Quotes within texts are escaped, so that this is
    // where records begin. The first one is what is not whole, or lacks only its end.
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
