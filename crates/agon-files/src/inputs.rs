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

/// The device and inode number of each file, which also identify it under other names.
static INPUTS: Mutex<BTreeSet<(u64, u64)>> = Mutex::new(BTreeSet::new());

fn inputs() -> MutexGuard<'static, BTreeSet<(u64, u64)>> {
    // The set stays valid even if a thread panicked while it held the lock.
    INPUTS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes this crate refuse to write to this file from now on, because the program reads it.
///
/// Only regular files could be lost that way.
pub fn protect(path: &Path) {
    if let Ok(facts) = fs::metadata(path)
        && facts.is_file()
    {
        inputs().insert((facts.dev(), facts.ino()));
    }
}

/// Checks that the file is not an input of this program.
///
/// # Errors
/// If it is one.
pub(crate) fn check(place: &Path) -> io::Result<()> {
    match fs::metadata(place) {
        Ok(facts) if inputs().contains(&(facts.dev(), facts.ino())) => {
            Err(io::Error::other("it is read here, and would be lost; name another file"))
        }
        _ => Ok(()),
    }
}
