//! Removes incomplete files if the program ends early.
//!
//! `whole` registers each file here while it is written. `agon` calls [`discard_unfinished`] before
//! it ends early, such as after Ctrl-C.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

/// Files that are not complete yet.
#[derive(Debug)]
struct Unfinished {
    paths: BTreeSet<PathBuf>,
    /// Whether the program is about to end, so that no more are begun.
    closed: bool,
}

static UNFINISHED: Mutex<Unfinished> =
    Mutex::new(Unfinished { paths: BTreeSet::new(), closed: false });

fn unfinished() -> MutexGuard<'static, Unfinished> {
    // A set is valid whatever happened to a thread that held the lock.
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes all files that are not complete, for a process that is about to end without dropping
/// them. Nothing can be begun or completed afterwards.
pub fn discard_unfinished() {
    let mut all = unfinished();
    all.closed = true;
    for path in std::mem::take(&mut all.paths) {
        // It may not be there yet, or be gone already.
        let _ = fs::remove_file(path);
    }
}

/// Makes a file that is removed if the program ends early.
pub(crate) fn begin<T>(
    make: impl FnOnce() -> io::Result<(PathBuf, T)>,
) -> io::Result<(PathBuf, T)> {
    // With the lock, so that no file is made that nobody would remove.
    let mut all = unfinished();
    if all.closed {
        return Err(ending());
    }
    let (path, made) = make()?;
    all.paths.insert(path.clone());
    Ok((path, made))
}

/// Completes a file, with the lock: it is not removed meanwhile.
pub(crate) fn complete(path: &Path, finish: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
    let mut all = unfinished();
    if all.closed {
        return Err(ending());
    }
    finish()?;
    all.paths.remove(path);
    Ok(())
}

/// Removes a file that will not be completed.
pub(crate) fn discard(path: &Path) {
    if unfinished().paths.remove(path) {
        let _ = fs::remove_file(path);
    }
}

fn ending() -> io::Error {
    io::Error::new(io::ErrorKind::Interrupted, "the program is being ended")
}
