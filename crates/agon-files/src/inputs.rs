//! Remembers the files that a command reads, so that none of its outputs overwrites them.
//!
//! Commands call [`protect`] for plans, settings and replays. `target` then refuses them as
//! outputs.

use std::{
    collections::BTreeSet,
    fs, io,
    path::Path,
    sync::{Mutex, MutexGuard, PoisonError},
};

use crate::identity::Identity;

/// The files. They are refused under other names, too.
static INPUTS: Mutex<BTreeSet<Identity>> = Mutex::new(BTreeSet::new());

fn inputs() -> MutexGuard<'static, BTreeSet<Identity>> {
    // The set stays valid even if a thread panicked while it held the lock.
    INPUTS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes this crate refuse to write to this file from now on, because the program reads it.
///
/// Only regular files could be lost that way.
pub fn protect(path: &Path) {
    if let Ok(facts) = fs::metadata(path)
        && facts.is_file()
        && let Ok(identity) = Identity::at(path, &facts)
    {
        inputs().insert(identity);
    }
}

/// Checks that the file is not an input of this program.
///
/// # Errors
/// If it is one.
pub(crate) fn check(place: &Path) -> io::Result<()> {
    match fs::metadata(place).and_then(|facts| Identity::at(place, &facts)) {
        Ok(identity) if inputs().contains(&identity) => {
            Err(io::Error::other("it is read here, and would be lost; name another file"))
        }
        _ => Ok(()),
    }
}
