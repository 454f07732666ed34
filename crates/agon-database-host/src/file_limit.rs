//! The limit for the size of files, `ulimit -f`, which the arena hands down.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use agon_database::{Answer, Refusal};
use signal_hook::{consts::SIGXFSZ, flag};

/// Knows whether a file has become too large. SQLite does not tell.
pub(crate) struct FileLimit(Arc<AtomicBool>);

impl FileLimit {
    /// From now on a file that becomes too large is an error of writing, not the end of this
    /// program.
    ///
    /// # Errors
    /// If the system does not let it.
    pub(crate) fn survive() -> io::Result<FileLimit> {
        let seen = Arc::default();
        flag::register(SIGXFSZ, Arc::clone(&seen))?;
        Ok(FileLimit(seen))
    }

    /// The answer, with what is known of its reason.
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
