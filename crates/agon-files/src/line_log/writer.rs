//! Appends records to a log, and locks the log against other processes.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{self, Read, Write},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use serde::Serialize;

use super::line;

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
    /// The caller reads them with [`read_lines`](super::read_lines), then calls [`LineLog::keep`].
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
        let line = line::write(object);
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
