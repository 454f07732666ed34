//! Reading a journal.

use std::{collections::BTreeMap, fmt, path::Path};

use super::{
    Header, JournalError, Record,
    line::{self, BadLine},
};
use crate::MatchId;

/// What is in a journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contents {
    /// The header; `None` if the file is empty or ends within its first line.
    pub header: Option<Header>,
    /// The records in order of writing.
    pub records: Vec<Record>,
    /// What is left of a line that was being written.
    pub torn: Option<Torn>,
    /// The length of what is whole, in bytes.
    pub whole: u64,
}

/// The end of a journal whose writer was killed, or whose machine lost its power.
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
            "line {line} was being written when the tournament was stopped; its {bytes} bytes are \
             cut off, and its match is played again"
        )
    }
}

/// Reads the bytes of a journal; `file` is for messages.
///
/// Damaged lines that no whole line follows are a torn tail: when the power fails, a file may have
/// any bytes at its end.
///
/// # Errors
/// If it is no journal, of an unknown version, damaged before its end, or has a match twice.
pub fn read(bytes: &[u8], file: &Path) -> Result<Contents, JournalError> {
    let mut contents = Contents { header: None, records: Vec::new(), torn: None, whole: 0 };
    let mut lines: BTreeMap<MatchId, usize> = BTreeMap::new();
    let mut rest = bytes;
    let mut number = 0;
    while !rest.is_empty() {
        number += 1;
        let end = rest.iter().position(|&byte| byte == b'\n');
        let line = &rest[..end.unwrap_or(rest.len())];
        if end.is_none() || !line::is_whole(line) {
            tail(rest, number, file)?;
            contents.torn = Some(Torn { line: number, bytes: rest.len() as u64 });
            return Ok(contents);
        }
        let damaged = |error: BadLine| {
            let reason = match error {
                BadLine::Sum => "its checksum is wrong".to_owned(),
                BadLine::Json(error) => format!("it cannot be read: {error}"),
            };
            JournalError::Damaged { file: file.to_owned(), line: number, reason }
        };
        if number == 1 {
            contents.header = Some(header(line, file)?);
        } else {
            let mut record: Record = line::read(line).map_err(damaged)?;
            for fault in record.faults.iter_mut().flatten() {
                fault.text = agon_text::escape(&fault.text).into_owned();
            }
            let seats = record.seats.len();
            if [record.places.len(), record.scores.len(), record.faults.len()] != [seats; 3] {
                let reason = format!(
                    "it has {seats} seats, but another number of places, scores or lists of faults"
                );
                return Err(JournalError::Damaged { file: file.to_owned(), line: number, reason });
            }
            if let Some(first) = lines.insert(record.id, number) {
                return Err(JournalError::Twice {
                    file: file.to_owned(),
                    id: record.id,
                    first,
                    line: number,
                });
            }
            contents.records.push(record);
        }
        contents.whole += line.len() as u64 + 1;
        rest = &rest[line.len() + 1..];
    }
    Ok(contents)
}

fn header(line: &[u8], file: &Path) -> Result<Header, JournalError> {
    // Other versions may have other keys.
    let peek: serde_json::Value =
        line::read(line).map_err(|_| JournalError::NoJournal { file: file.to_owned() })?;
    let version = peek.get("version").and_then(serde_json::Value::as_u64);
    match version.map(u32::try_from) {
        Some(Ok(version)) if version != Header::VERSION && peek["journal"] == Header::KIND => {
            Err(JournalError::Version { file: file.to_owned(), version })
        }
        _ => match line::read::<Header>(line) {
            Ok(header) if header.journal == Header::KIND && header.version == Header::VERSION => {
                Ok(header)
            }
            _ => Err(JournalError::NoJournal { file: file.to_owned() }),
        },
    }
}

/// Checks that `rest`, which begins with a line that is not whole, has no whole line.
fn tail(rest: &[u8], number: usize, file: &Path) -> Result<(), JournalError> {
    if number == 1 {
        // A file that is something else must not be overwritten: it has to be the beginning of a
        // header.
        let begin = format!("{{\"journal\":\"{}\"", Header::KIND);
        let known = rest.len().min(begin.len());
        if rest[..known] != begin.as_bytes()[..known] || rest.contains(&b'\n') {
            return Err(JournalError::NoJournal { file: file.to_owned() });
        }
        return Ok(());
    }
    // Also behind a line whose end is damaged. Quotes within texts are escaped, so that this is
    // where records begin.
    let begin = b"{\"match\":";
    // The first one is what is not whole, or lacks only its end.
    let whole_follows =
        rest.split_inclusive(|&byte| byte == b'\n').enumerate().any(|(number, line)| {
            let line = line.strip_suffix(b"\n").unwrap_or(line);
            let mut starts =
                (usize::from(number == 0)..line.len()).filter(|&at| line[at..].starts_with(begin));
            starts.any(|at| line::is_whole(&line[at..]))
        });
    if whole_follows {
        let reason = "its checksum is wrong".to_owned();
        return Err(JournalError::Damaged { file: file.to_owned(), line: number, reason });
    }
    Ok(())
}
