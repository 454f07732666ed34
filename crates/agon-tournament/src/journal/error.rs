//! Errors in the journal of a tournament, with remedies.

use std::{io, path::PathBuf};

use thiserror::Error;

use crate::MatchId;

/// Why a journal cannot be read or written.
#[derive(Debug, Error)]
pub enum JournalError {
    /// The file cannot be read or written.
    #[error("{}: {source}", .file.display())]
    Io {
        /// The journal.
        file: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Another process writes it.
    #[error(
        "{} is being written by another process, so this tournament is running already; wait for \
         it or stop it",
        .file.display()
    )]
    Locked {
        /// The journal.
        file: PathBuf,
    },
    /// The file is something else.
    #[error(
        "{} is no journal of a tournament; give another folder or move the file away",
        .file.display()
    )]
    NoJournal {
        /// The file.
        file: PathBuf,
    },
    /// It has an unknown version.
    #[error(
        "{} has version {version} of the format, and this program knows version {}",
        .file.display(),
        super::Header::VERSION
    )]
    Version {
        /// The journal.
        file: PathBuf,
        /// Its version.
        version: u32,
    },
    /// It belongs to another tournament.
    #[error(
        "{} belongs to another plan: the plan has changed since its first match; undo the change, \
         or begin anew in another folder",
        .file.display()
    )]
    OtherPlan {
        /// The journal.
        file: PathBuf,
    },
    /// A line is damaged that others follow.
    #[error(
        "{}:{line}: this line is damaged ({reason}), but others follow, so it was not torn off \
         when a process was killed; restore the file from a copy, or delete the line: its match is \
         then played again",
        .file.display()
    )]
    Damaged {
        /// The journal.
        file: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// A match is there twice.
    #[error(
        "{}:{line}: match {id} is there already, in line {first}; delete one of the two lines",
        .file.display()
    )]
    Twice {
        /// The journal.
        file: PathBuf,
        /// The match.
        id: MatchId,
        /// Its first line, from 1.
        first: usize,
        /// The other line.
        line: usize,
    },
    /// A match has a record already; nothing was written.
    #[error("match {0} is in the journal already")]
    Recorded(MatchId),
    /// An earlier record could be written only in part and the part could not be removed.
    #[error(
        "{} could not be written to the end of a line earlier; start the tournament again",
        .file.display()
    )]
    Broken {
        /// The journal.
        file: PathBuf,
    },
}
