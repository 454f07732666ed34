//! Notices that a database has reached the limit for the size of files (`ulimit -f`).
//!
//! Without it the system would end the program, and the arena could not name the reason.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use agon_database::{Answer, Refusal};
use signal_hook::{consts::SIGXFSZ, flag};

/// Knows whether a file has become too large, which SQLite does not report.
pub(crate) struct FileLimit(Arc<AtomicBool>);

impl FileLimit {
    /// From now on a file that becomes too large leads to an error of writing, and does not end
    /// this program.
    ///
    /// # Errors
    /// If the system refuses.
    pub(crate) fn survive() -> io::Result<FileLimit> {
        let seen = Arc::default();
        flag::register(SIGXFSZ, Arc::clone(&seen))?;
        Ok(FileLimit(seen))
    }

    /// Adds to a refusal of SQLite whether a file became too large.
    pub(crate) fn explain(&self, answer: Answer) -> Answer {
        match answer {
            Answer::Refused(Refusal::Sqlite { problem, .. }) => {
                let is_too_large = self.0.load(Ordering::Relaxed);
                Answer::Refused(Refusal::Sqlite { problem, is_too_large })
            }
            other => other,
        }
    }
}
