//! Opens the journal of a tournament, and appends results to it.

use std::{collections::BTreeSet, path::Path};

use agon_files::line_log::{LineLog, LogError, SyncPolicy};

use super::{Contents, Header, JournalError, Record, read};
use crate::MatchId;

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
    /// If another process writes it, or it is damaged, or belongs to another plan.
    pub fn open(
        path: &Path,
        plan: &str,
        sync: SyncPolicy,
    ) -> Result<(Journal, Contents), JournalError> {
        let failed = |error| JournalError::of(error, path);
        let (mut log, bytes) = LineLog::open(path, sync).map_err(failed)?;
        let contents = read(&bytes, path)?;
        if contents.header.as_ref().is_some_and(|header| header.plan != plan) {
            return Err(JournalError::OtherPlan { file: path.to_owned() });
        }
        log.keep(contents.whole).map_err(failed)?;
        if contents.header.is_none() {
            log.append(&Header::new(plan)).map_err(failed)?;
        }
        let known = contents.records.iter().map(|record| record.id).collect();
        Ok((Journal { log, known }, contents))
    }

    /// Writes a record. When this returns, it survives the end of this process.
    ///
    /// # Errors
    /// If the match has a record already, or the file cannot be written; the journal is then as
    /// before.
    pub fn append(&mut self, record: &Record) -> Result<(), JournalError> {
        if self.known.contains(&record.id) {
            return Err(JournalError::Recorded(record.id));
        }
        self.log.append(record).map_err(|error| JournalError::of(error, self.log.path()))?;
        self.known.insert(record.id);
        Ok(())
    }

    /// Waits until all records are on the disk.
    ///
    /// # Errors
    /// If the disk fails.
    pub fn synchronise(&mut self) -> Result<(), JournalError> {
        self.log.synchronise().map_err(|error| JournalError::of(error, self.log.path()))
    }
}

impl JournalError {
    fn of(error: LogError, file: &Path) -> JournalError {
        let file = file.to_owned();
        match error {
            LogError::Io(source) => JournalError::Io { file, source },
            LogError::Locked => JournalError::Locked { file },
            LogError::NotRegular => JournalError::NoJournal { file },
            LogError::Broken => JournalError::Broken { file },
        }
    }
}
