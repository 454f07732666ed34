//! Writes the results of a tournament into an SQLite database, `results.sqlite`, for queries.
//!
//! This is the side of the arena: it sends orders to `agon-database-host`, the program that writes
//! the file (`crates/agon-database` has the messages). The database is derived from the journal and
//! can be deleted at any time. If it does not fit the journal, it is made again; if it lacks
//! matches, they are added.

use std::{
    collections::BTreeMap,
    io, mem,
    path::{Path, PathBuf},
};

use agon_database::{
    Answer, BotRow, DIALOGUE, HOST, LastMatch, MatchRow, Order, Refusal, SeatRow, pack,
};
use agon_parts::{Message, PartError, Running};
use thiserror::Error;

use crate::{PairingId, Plan, Record, journal::SeatFault};

/// The number of matches in a message, so that a long journal needs little memory.
const BATCH: usize = 1000;

/// Why a database cannot be used.
#[derive(Debug, Error)]
pub enum DatabaseError {
    /// The program that writes it is missing. A tournament can be played without it.
    #[error(transparent)]
    Part(#[from] PartError),
    /// SQLite refuses.
    #[error(
        "{}: {source}; the database can be deleted, and is then made anew from the journal",
        .file.display()
    )]
    Sqlite {
        /// The database.
        file: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file cannot be replaced.
    #[error("{}: {source}", .file.display())]
    Io {
        /// The database.
        file: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file is no database of a tournament, so that it is not overwritten.
    #[error("{} is no database of a tournament; move it away", .file.display())]
    Foreign {
        /// The file.
        file: PathBuf,
    },
    /// A record names a bot that the plan does not have.
    #[error("match {id} in the journal is one of the bot `{name}`, which the plan does not have")]
    Bot {
        /// The match.
        id: String,
        /// The name.
        name: String,
    },
    /// The program that writes it was killed or has crashed.
    #[error(
        "{}: `{}`, which writes it, ended ({how}); the journal has all results, and the database \
         catches up with it",
        .file.display(), HOST.program
    )]
    Ended {
        /// The database.
        file: PathBuf,
        /// How it ended.
        how: String,
    },
}

/// A database that is open for writing.
#[derive(Debug)]
pub struct Database {
    file: PathBuf,
    /// The program that writes it, or how it ended.
    host: Result<Running, String>,
    /// Numbers by names.
    bots: BTreeMap<String, u32>,
    /// Matches in it: the first ones of the journal.
    matches: usize,
}

impl Database {
    /// Opens the database of a plan, and brings it up to date with the records of its journal.
    ///
    /// A database of another plan or version, or with other matches than the first ones of the
    /// journal, is replaced. `announce` gets a line if the program that writes it must be built
    /// first.
    ///
    /// # Errors
    /// If the program is missing, the file is something else, or it cannot be written.
    pub fn open(
        file: &Path,
        plan: &Plan,
        records: &[Record],
        announce: &dyn Fn(&str),
    ) -> Result<Database, DatabaseError> {
        let host = Running::start(&HOST, DIALOGUE, announce)?;
        let bots = plan.bots.iter().map(|bot| bot.name.clone()).zip(0..).collect();
        let mut database = Database { file: file.to_owned(), host: Ok(host), bots, matches: 0 };
        let rows =
            plan.bots.iter().map(|bot| BotRow { name: bot.name.clone(), spec: bot.text.clone() });
        let order = Order::Open { file: file.into(), plan: plan.digest() };
        let mut answer = database.order(&order, &pack(&rows.collect::<Vec<_>>()))?;
        // Journals only grow; if somebody deleted a line of it, the last match is another one.
        if !is_beginning(&answer, records) {
            answer = database.order(&Order::Anew, &[])?;
        }
        let Answer::Opened { matches, .. } = answer else { return Err(database.nonsense()) };
        database.matches = matches as usize;
        database.append(&records[database.matches.min(records.len())..])?;
        Ok(database)
    }

    /// Adds the next records of the journal. After an error, the first ones of many may be in it.
    ///
    /// # Errors
    /// If a record has a bot that the plan does not have, SQLite refuses, or the program has ended.
    pub fn append(&mut self, records: &[Record]) -> Result<(), DatabaseError> {
        for batch in records.chunks(BATCH) {
            let rows =
                batch.iter().map(|record| self.row(record)).collect::<Result<Vec<_>, _>>()?;
            let expected = self.matches + batch.len();
            match self.order(&Order::Append { before: self.matches as u64 }, &pack(&rows))? {
                Answer::Appended { matches } if matches == expected as u64 => {
                    self.matches = expected
                }
                _ => return Err(self.nonsense()),
            }
        }
        Ok(())
    }

    /// Returns how many matches are in it.
    pub fn matches(&self) -> usize {
        self.matches
    }

    /// Sends an order, and waits for the answer.
    fn order(&mut self, order: &Order, bytes: &[u8]) -> Result<Answer, DatabaseError> {
        let host = match &mut self.host {
            Ok(host) => host,
            Err(how) => {
                return Err(DatabaseError::Ended { file: self.file.clone(), how: how.clone() });
            }
        };
        match host.tell(order, bytes).and_then(|()| host.hear()) {
            Ok(Some(Message { value: Answer::Refused(why), .. })) => Err(refused(&self.file, why)),
            Ok(Some(Message { value, .. })) => Ok(value),
            Err(error) if error.kind() == io::ErrorKind::InvalidData => Err(self.nonsense()),
            Ok(None) | Err(_) => {
                let how = host.ended();
                Err(self.ended(how))
            }
        }
    }

    /// Stops using the program after an answer that does not fit its order.
    fn nonsense(&mut self) -> DatabaseError {
        self.ended("it said something else than an answer".to_owned())
    }

    /// Stops using the program, for this reason.
    fn ended(&mut self, how: String) -> DatabaseError {
        self.host = Err(how.clone());
        DatabaseError::Ended { file: self.file.clone(), how }
    }

    fn row(&self, record: &Record) -> Result<MatchRow, DatabaseError> {
        let PairingId { round, group, pairing } = record.id.pairing;
        let half_points = record.outcome().half_points().collect::<Vec<_>>();
        let seats = half_points.into_iter().enumerate();
        Ok(MatchRow {
            id: record.id.to_string(),
            round,
            group,
            pairing,
            number: record.id.number,
            key: record.key.clone(),
            seed: record.seed.number(),
            void: record.void,
            ms: record.ms,
            replay: record.replay.clone(),
            seats: seats
                .map(|(at, points)| self.seat(record, at, points))
                .collect::<Result<_, _>>()?,
        })
    }

    fn seat(&self, record: &Record, at: usize, half_points: u32) -> Result<SeatRow, DatabaseError> {
        let name = &record.seats[at];
        let unknown = || DatabaseError::Bot { id: record.id.to_string(), name: name.clone() };
        let faults = record.faults.get(at).map_or(&[][..], Vec::as_slice);
        Ok(SeatRow {
            bot: *self.bots.get(name).ok_or_else(unknown)?,
            place: record.places[at],
            score: record.scores[at],
            half_points,
            fault: faults.first().and_then(kind),
            faults: faults.iter().map(|fault| fault.count).fold(0, u64::saturating_add),
            detail: faults.first().map(|fault| fault.text.clone()),
            forfeit: record.forfeits.contains(&at),
        })
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        // A regular end merges all into one file. If it fails, the next process that opens the
        // database does so.
        if let Ok(host) = mem::replace(&mut self.host, Err("it was told to".to_owned())) {
            let _ = host.end();
        }
    }
}

/// Returns whether the database that was opened has the first of these records.
fn is_beginning(answer: &Answer, records: &[Record]) -> bool {
    let Answer::Opened { matches, last } = answer else { return false };
    let known = usize::try_from(*matches).ok().and_then(|matches| records.get(..matches));
    let last_of = |known: &[Record]| {
        known.last().map(|record| LastMatch { id: record.id.to_string(), key: record.key.clone() })
    };
    known.is_some_and(|known| last_of(known) == *last)
}

/// Returns the kind of a fault, as in the journal.
fn kind(fault: &SeatFault) -> Option<String> {
    let kind = serde_json::to_value(fault.kind).ok()?;
    kind.as_str().map(str::to_owned)
}

fn refused(file: &Path, why: Refusal) -> DatabaseError {
    let file = file.to_owned();
    match why {
        Refusal::Sqlite { problem, is_too_large } => {
            let kind =
                if is_too_large { io::ErrorKind::FileTooLarge } else { io::ErrorKind::Other };
            DatabaseError::Sqlite { file, source: io::Error::new(kind, problem) }
        }
        Refusal::Remove { file, problem } => {
            DatabaseError::Io { file: file.into(), source: io::Error::other(problem) }
        }
        Refusal::Foreign => DatabaseError::Foreign { file },
    }
}
