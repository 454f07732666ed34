//! The journal of a tournament: an append-only file of results that survives a kill at any moment.
//!
//! A tournament continues from it, and reports are made from it.
//!
//! It is a [`LineLog`]: the first line is the [`Header`], each other one a [`Record`]. If a kill
//! tore the line of a match, the match is played again.

#![warn(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap,
    clippy::cast_lossless,
    reason = "journals are foreign bytes, whose numbers must not change unnoticed"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use agon_core::{FaultKind, Seed};
use agon_files::line_log::{LineLog, LogError, LogFormat, LogProblem, read_lines, write_line};
use agon_match::spec::PlayedOn;
use anyhow::{Error, Result, anyhow, bail, ensure};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Match, MatchId, Outcome};

pub use agon_files::line_log::{SyncPolicy, Torn, with_sums};

/// The first line of a journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// What the file is: [`Header::KIND`].
    pub journal: String,
    /// The version of its format: [`Header::VERSION`].
    pub version: u32,
    /// The digest of the plan ([`crate::Plan::digest`]).
    pub plan: String,
}

impl Header {
    /// The value of `journal` in every journal.
    pub const KIND: &'static str = "agon-tournament";
    /// The version of the format that is written.
    pub const VERSION: u32 = 1;

    /// Makes the header for a plan with this digest.
    pub fn new(plan: &str) -> Header {
        Header { journal: Header::KIND.to_owned(), version: Header::VERSION, plan: plan.to_owned() }
    }
}

/// A match that is over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// Which match of the tournament.
    #[serde(rename = "match")]
    pub id: MatchId,
    /// What the result depends on ([`crate::MatchKey`]).
    pub key: String,
    /// Names of the bots, in order of seats.
    pub seats: Vec<String>,
    /// The seed.
    pub seed: Seed,
    /// Places in order of seats: 1 for the best, equal ones share a place.
    pub places: Vec<u32>,
    /// The game's scores, in order of seats.
    pub scores: Vec<i64>,
    /// Faults in order of seats.
    pub faults: Vec<Vec<SeatFault>>,
    /// How often the match was played before and was void.
    pub void: u32,
    /// How long it took, in milliseconds.
    pub ms: u64,
    /// The file name of its replay in the tournament's folder, if it was kept.
    pub replay: Option<String>,
    /// The other machine that has played it, if it was not the one that runs the tournament.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<PlayedOn>,
    /// Seats, from 0, whose bots forfeited the match. If there are any, it was not played.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forfeits: Vec<usize>,
}

/// What a bot did wrong in a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeatFault {
    /// What kind.
    pub kind: FaultKind,
    /// How often.
    pub count: u64,
    /// The first one in short.
    pub text: String,
    /// The step of the first one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<u64>,
    /// The end of what the bot had written to stderr by then, with invisible characters escaped.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub stderr: String,
}

impl SeatFault {
    /// The most bytes of [`SeatFault::stderr`].
    pub const MAX_STDERR: usize = 2000;

    /// Makes a fault of which only kind, number and text are known.
    pub fn new(kind: FaultKind, count: u64, text: impl Into<String>) -> SeatFault {
        SeatFault { kind, count, text: text.into(), step: None, stderr: String::new() }
    }
}

impl Record {
    /// Returns how the match ended.
    pub fn outcome(&self) -> Outcome {
        let forfeited = !self.forfeits.is_empty();
        Outcome { places: self.places.clone(), scores: self.scores.clone(), forfeited }
    }

    /// Makes the record of a match of bots with these names, without faults, key and replay.
    pub fn new(game: &Match, seats: Vec<String>, outcome: Outcome) -> Record {
        Record {
            id: game.id,
            key: String::new(),
            seed: game.seed,
            places: outcome.places,
            scores: outcome.scores,
            faults: vec![Vec::new(); seats.len()],
            void: 0,
            ms: 0,
            replay: None,
            machine: None,
            forfeits: Vec::new(),
            seats,
        }
    }

    /// Returns the record of a match that is not played, because the bots of some seats forfeit
    /// it. All others share the first place.
    ///
    /// # Panics
    /// If nobody forfeits.
    pub fn forfeit(game: &Match, key: String, seats: Vec<String>, forfeits: Vec<usize>) -> Record {
        assert!(!forfeits.is_empty(), "a forfeit is somebody's");
        let present = u32::try_from(seats.len() - forfeits.len()).unwrap_or(u32::MAX - 1);
        let place = |seat| if forfeits.contains(&seat) { present + 1 } else { 1 };
        let places = (0..seats.len()).map(place).collect();
        let outcome = Outcome::new(places, vec![0; seats.len()]);
        Record { key, forfeits, ..Record::new(game, seats, outcome) }
    }
}

/// The error for a journal that belongs to another plan.
#[derive(Debug, thiserror::Error)]
#[error(
    "{} belongs to another plan: the plan has changed since its first match; undo the change, or \
     begin anew in another folder",
    .0.display()
)]
pub struct OtherPlan(pub PathBuf);

/// A journal that is open for writing. Meanwhile no other process can write it.
#[derive(Debug)]
pub struct Journal {
    log: LineLog,
    known: BTreeSet<MatchId>,
}

impl Journal {
    /// Opens the journal of a plan, or starts one, and returns its contents. Cuts off a torn tail.
    ///
    /// # Errors
    /// If another process writes it, or it is damaged, or belongs to another plan ([`OtherPlan`]).
    pub fn open(path: &Path, plan: &str, sync: SyncPolicy) -> Result<(Journal, Contents)> {
        let failed = |error| failed(error, path);
        let (mut log, bytes) = LineLog::open(path, sync).map_err(failed)?;
        let contents = read(&bytes, path)?;
        if contents.header.as_ref().is_some_and(|header| header.plan != plan) {
            return Err(OtherPlan(path.to_owned()).into());
        }
        log.keep(contents.whole).map_err(failed)?;
        if contents.header.is_none() {
            log.append(&Header::new(plan)).map_err(failed)?;
        }
        let known = contents.records.iter().map(|record| record.id).collect();
        Ok((Journal { log, known }, contents))
    }

    /// Writes a record. When this returns, it survives the end of this process. After an error the
    /// journal is as before.
    pub fn append(&mut self, record: &Record) -> Result<()> {
        ensure!(!self.known.contains(&record.id), "match {} is in the journal already", record.id);
        self.log.append(record).map_err(|error| failed(error, self.log.path()))?;
        self.known.insert(record.id);
        Ok(())
    }

    /// Waits until all records are on the disk.
    pub fn synchronise(&mut self) -> Result<()> {
        self.log.synchronise().map_err(|error| failed(error, self.log.path()))
    }
}

/// Turns an error of the log into a message for people.
fn failed(error: LogError, file: &Path) -> Error {
    let name = file.display();
    match error {
        LogError::Io(source) => anyhow!("{name}: {source}"),
        LogError::Locked => anyhow!(
            "{name} is being written by another process, so this tournament is running already; \
             wait for it or stop it"
        ),
        LogError::NotRegular => no_journal(file),
        LogError::Broken => anyhow!(
            "{name} could not be written to the end of a line earlier; start the tournament again"
        ),
    }
}

fn no_journal(file: &Path) -> Error {
    let name = file.display();
    anyhow!("{name} is no journal of a tournament; give another folder or move the file away")
}

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
pub fn read(bytes: &[u8], file: &Path) -> Result<Contents> {
    let mut contents = Contents { header: None, records: Vec::new(), torn: None, whole: 0 };
    let mut lines: BTreeMap<MatchId, usize> = BTreeMap::new();
    let name = file.display();
    let damaged = |line: usize, reason: &str| {
        anyhow!(
            "{name}:{line}: this line is damaged ({reason}), but others follow, so it was not torn \
             off when a process was killed; restore the file from a copy, or delete the line: its \
             match is then played again"
        )
    };
    let read = read_lines(bytes, &FORMAT, |number, line| {
        if number == 1 {
            contents.header = Some(header(line, file)?);
            return Ok(());
        }
        let record = record(line).map_err(|reason| damaged(number, &reason))?;
        if let Some(first) = lines.insert(record.id, number) {
            bail!(
                "{name}:{number}: match {} is there already, in line {first}; delete one of the \
                 two lines",
                record.id
            );
        }
        contents.records.push(record);
        Ok(())
    });
    let (whole, torn) = read.map_err(|problem| match problem {
        LogProblem::NoLog => no_journal(file),
        LogProblem::Damaged { line } => damaged(line, "its checksum is wrong"),
        LogProblem::Refused(error) => error,
    })?;
    Ok(Contents { torn, whole, ..contents })
}

/// Reads the line of a match; an error says what is wrong with it.
fn record(line: &[u8]) -> Result<Record, String> {
    let mut record: Record =
        serde_json::from_slice(line).map_err(|error| format!("it cannot be read: {error}"))?;
    for fault in record.faults.iter_mut().flatten() {
        fault.text = agon_core::text::escape(&fault.text).into_owned();
        fault.stderr = agon_core::text::escape_lines(&fault.stderr).into_owned();
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

fn header(line: &[u8], file: &Path) -> Result<Header> {
    // Other versions may have other keys.
    let peek: Value = serde_json::from_slice(line).map_err(|_| no_journal(file))?;
    let version = peek["version"].as_u64().and_then(|version| u32::try_from(version).ok());
    if let Some(version) = version
        && version != Header::VERSION
        && peek["journal"] == Header::KIND
    {
        bail!(
            "{} has version {version} of the format, and this program knows version {}",
            file.display(),
            Header::VERSION
        );
    }
    let header: Header = serde_json::from_value(peek).map_err(|_| no_journal(file))?;
    let is_own = header.journal == Header::KIND && header.version == Header::VERSION;
    if is_own { Ok(header) } else { Err(no_journal(file)) }
}

/// Returns the bytes of a journal with these records.
pub fn write(header: &Header, records: &[Record]) -> Vec<u8> {
    let mut bytes = write_line(header);
    records.iter().for_each(|record| bytes.extend(write_line(record)));
    bytes
}
