//! Reads and checks the journal of a tournament.

use std::{collections::BTreeMap, path::Path};

use agon_files::line_log::{LogFormat, LogProblem, Torn, read_lines};

use super::{Header, JournalError, Record};
use crate::MatchId;

/// The lines of a journal.
const FORMAT: LogFormat<'_> = LogFormat {
    header: b"{\"journal\":\"agon-tournament\"",
    record: b"{\"match\":",
    may_lack_sums: false,
};

/// What is in a journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contents {
    /// The header; `None` if the file is empty or ends within its first line.
    pub header: Option<Header>,
    /// The records in order of writing.
    pub records: Vec<Record>,
    /// The rest of a line that was not written to its end.
    pub torn: Option<Torn>,
    /// The length of the whole lines, in bytes.
    pub whole: u64,
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
    let read = read_lines(bytes, &FORMAT, |number, line| {
        if number == 1 {
            contents.header = Some(header(line, file)?);
            return Ok(());
        }
        let damaged =
            |reason| JournalError::Damaged { file: file.to_owned(), line: number, reason };
        let record = record(line).map_err(damaged)?;
        if let Some(first) = lines.insert(record.id, number) {
            let file = file.to_owned();
            return Err(JournalError::Twice { file, id: record.id, first, line: number });
        }
        contents.records.push(record);
        Ok(())
    });
    let (whole, torn) = read.map_err(|problem| match problem {
        LogProblem::NoLog => JournalError::NoJournal { file: file.to_owned() },
        LogProblem::Damaged { line } => {
            let reason = "its checksum is wrong".to_owned();
            JournalError::Damaged { file: file.to_owned(), line, reason }
        }
        LogProblem::Refused(error) => error,
    })?;
    Ok(Contents { torn, whole, ..contents })
}

/// Reads the line of a match; an error says what is wrong with it.
fn record(line: &[u8]) -> Result<Record, String> {
    let mut record: Record =
        serde_json::from_slice(line).map_err(|error| format!("it cannot be read: {error}"))?;
    for fault in record.faults.iter_mut().flatten() {
        fault.text = agon_text::escape(&fault.text).into_owned();
        fault.stderr = agon_text::escape_lines(&fault.stderr).into_owned();
    }
    let seats = record.seats.len();
    if [record.places.len(), record.scores.len(), record.faults.len()] != [seats; 3] {
        return Err(format!(
            "it has {seats} seats, but another number of places, scores or lists of faults"
        ));
    }
    if let Some(seat) = record.forfeits.iter().find(|&&seat| seat >= seats) {
        return Err(format!("it has {seats} seats, but seat {seat} forfeits"));
    }
    Ok(record)
}

fn header(line: &[u8], file: &Path) -> Result<Header, JournalError> {
    let none = || JournalError::NoJournal { file: file.to_owned() };
    // Other versions may have other keys.
    let peek: serde_json::Value = serde_json::from_slice(line).map_err(|_| none())?;
    let version = peek.get("version").and_then(serde_json::Value::as_u64);
    match version.map(u32::try_from) {
        Some(Ok(version)) if version != Header::VERSION && peek["journal"] == Header::KIND => {
            Err(JournalError::Version { file: file.to_owned(), version })
        }
        _ => match serde_json::from_slice::<Header>(line) {
            Ok(header) if header.journal == Header::KIND && header.version == Header::VERSION => {
                Ok(header)
            }
            _ => Err(none()),
        },
    }
}
