//! Writing a journal.

use std::{
    collections::BTreeSet,
    fs::{File, OpenOptions, TryLockError},
    io::{self, Read, Write},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use super::{Contents, Header, JournalError, Record, line, read};
use crate::MatchId;

/// When written records are synchronised with the disk. Nothing of it is needed for killed
/// processes, only for machines that lose their power, and then the matches since the last time are
/// played again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SyncPolicy {
    /// The operating system does it when it likes, usually within half a minute.
    #[default]
    Never,
    /// With the first record after this time since the last synchronisation, and at the end.
    Every(Duration),
}

/// A journal that is open for writing; no other process can write it as long.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    /// The length of whole lines.
    length: u64,
    known: BTreeSet<MatchId>,
    sync: SyncPolicy,
    synced: Instant,
    /// Records since.
    unsynced: bool,
    broken: bool,
}

impl Journal {
    /// Opens the journal of a plan, or begins one, and gives what is in it. A torn tail is cut off.
    ///
    /// # Errors
    /// If another process writes it, or it is damaged, or belongs to another plan.
    pub fn open(
        path: &Path,
        plan: &str,
        sync: SyncPolicy,
    ) -> Result<(Journal, Contents), JournalError> {
        let io = |source| JournalError::Io { file: path.to_owned(), source };
        let options = OpenOptions::new().read(true).append(true).create(true).open(path);
        let mut file = options.map_err(io)?;
        if !file.metadata().map_err(io)?.is_file() {
            return Err(JournalError::NoJournal { file: path.to_owned() });
        }
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(JournalError::Locked { file: path.to_owned() });
            }
            Err(TryLockError::Error(error)) => return Err(io(error)),
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(io)?;
        let contents = read(&bytes, path)?;
        if contents.header.as_ref().is_some_and(|header| header.plan != plan) {
            return Err(JournalError::OtherPlan { file: path.to_owned() });
        }
        if contents.torn.is_some() {
            file.set_len(contents.whole).map_err(io)?;
        }
        let known = contents.records.iter().map(|record| record.id).collect();
        let mut journal = Journal {
            path: path.to_owned(),
            file,
            length: contents.whole,
            known,
            sync,
            synced: Instant::now(),
            unsynced: false,
            broken: false,
        };
        if contents.header.is_none() {
            journal.write(&line::write(&Header::new(plan)))?;
        }
        Ok((journal, contents))
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
        self.write(&line::write(record))?;
        self.known.insert(record.id);
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
    pub fn synchronise(&mut self) -> Result<(), JournalError> {
        self.file.sync_data().map_err(|source| self.io(source))?;
        self.synced = Instant::now();
        self.unsynced = false;
        Ok(())
    }

    fn write(&mut self, line: &[u8]) -> Result<(), JournalError> {
        if self.broken {
            return Err(JournalError::Broken { file: self.path.clone() });
        }
        if let Err(source) = self.file.write_all(line) {
            // A full disk: what is there of the line must not stand before the next one.
            self.broken = self.file.set_len(self.length).is_err();
            return Err(self.io(source));
        }
        self.length += line.len() as u64;
        Ok(())
    }

    fn io(&self, source: io::Error) -> JournalError {
        JournalError::Io { file: self.path.clone(), source }
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        if self.unsynced && self.sync != SyncPolicy::Never {
            // Who wants to know of errors calls `synchronise`.
            let _ = self.synchronise();
        }
        // Closing is not enough: a child that is just being started has the file open until it runs
        // its program.
        let _ = self.file.unlock();
    }
}

#[cfg(test)]
mod tests {
    use agon_core::Seed;

    use super::*;

    #[test]
    fn a_record_that_cannot_be_written_leaves_the_journal_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.jsonl");
        let (mut journal, _) = Journal::open(&path, "plan", SyncPolicy::Never).unwrap();
        let before = std::fs::read(&path).unwrap();
        let record = Record {
            id: MatchId::default(),
            key: String::new(),
            seats: Vec::new(),
            seed: Seed(0),
            places: Vec::new(),
            scores: Vec::new(),
            faults: Vec::new(),
            void: 0,
            ms: 0,
            replay: None,
        };
        let own = std::mem::replace(&mut journal.file, File::open(&path).unwrap());
        assert!(matches!(journal.append(&record), Err(JournalError::Io { .. })));
        // What may be left of it could not be cut off, so that nothing may follow it.
        assert!(matches!(journal.append(&record), Err(JournalError::Broken { .. })));
        assert_eq!(std::fs::read(&path).unwrap(), before);
        (journal.file, journal.broken) = (own, false);
        journal.append(&record).unwrap();
        assert_eq!(read(&std::fs::read(&path).unwrap(), &path).unwrap().records, [record]);
    }
}
