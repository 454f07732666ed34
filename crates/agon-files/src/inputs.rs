//! Remembers the files that a command reads, so that none of its outputs overwrites them.
//!
//! Commands call [`protect`] for plans, settings and replays. `target` then refuses them as
//! outputs.

use std::{
    collections::BTreeSet,
    fs, io,
    os::unix::fs::MetadataExt,
    path::Path,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// Device and number of each file, so that other names of it are known as well.
static INPUTS: Mutex<BTreeSet<(u64, u64)>> = Mutex::new(BTreeSet::new());

fn inputs() -> MutexGuard<'static, BTreeSet<(u64, u64)>> {
    // A set is valid whatever happened to a thread that held the lock.
    INPUTS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Refuses from now on to write to this file: it is what the program works with. Only regular files
/// can be lost so.
pub fn protect(path: &Path) {
    if let Ok(facts) = fs::metadata(path)
        && facts.is_file()
    {
        inputs().insert((facts.dev(), facts.ino()));
    }
}

/// # Errors
/// If the file is one that is read.
pub(crate) fn check(place: &Path) -> io::Result<()> {
    match fs::metadata(place) {
        Ok(facts) if inputs().contains(&(facts.dev(), facts.ino())) => {
            Err(io::Error::other("it is read here, and would be lost; name another file"))
        }
        _ => Ok(()),
    }
}
